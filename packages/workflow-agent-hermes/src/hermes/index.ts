export type { Called } from "./call.js";
export { chat } from "./chat.js";
export { exportRun, type WholeRun } from "./export.js";
export type { HermesRun, Surroundings } from "./types.js";
