export { helpText, parseArgv, usageLine } from "./parse.js";
export type { AgentCommand } from "./types.js";
