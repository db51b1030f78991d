export { createCliAgent } from "./agent.js";
export type { Port } from "./types.js";
