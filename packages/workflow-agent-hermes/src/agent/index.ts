export { hermesAgent } from "./hermes.js";
export type { Port } from "./types.js";
