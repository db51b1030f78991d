export { shapeOf } from "./shape.js";
export { tellStory } from "./tell-story.js";
export type { Command, Stage } from "./types.js";
