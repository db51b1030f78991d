export { askProgram, type Question } from "./ask.js";
export { agentOf, installedAgents } from "./installed.js";
export { agentsOnPath } from "./on-path.js";
export type { InstalledAgent } from "./types.js";
