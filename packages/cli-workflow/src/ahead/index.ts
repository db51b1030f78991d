export { agentEnvironment } from "./environment.js";
export { stampOf } from "./peek.js";
export { NOTHING_AHEAD, startAhead } from "./start.js";
export type { Ahead, AheadLine } from "./types.js";
