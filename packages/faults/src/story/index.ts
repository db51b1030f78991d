export { callsOnBun, type StageOnBun } from "./on-bun.js";
export { shapeOf } from "./shape.js";
export { type Tale, tellBeginning, tellStory } from "./tell-story.js";
export type { Command, Stage } from "./types.js";
