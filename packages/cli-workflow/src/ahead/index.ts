export { agentEnvironment } from "./environment.js";
export { NOTHING_AHEAD, startAhead } from "./start.js";
export type { Ahead, AheadLine } from "./types.js";
