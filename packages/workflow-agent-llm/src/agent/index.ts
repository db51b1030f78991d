export { llmAgent } from "./agent.js";
export type { Port } from "./types.js";
