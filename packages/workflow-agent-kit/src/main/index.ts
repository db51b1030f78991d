export { createAgent } from "./create-agent.js";
export { runAgent } from "./run.js";
