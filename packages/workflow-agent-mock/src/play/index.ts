export { HELP } from "./help.js";
export { mockAgent, play } from "./play.js";
export type { Stage } from "./types.js";
