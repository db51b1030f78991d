export { callTool, describeTools, TOOLS } from "./toolbox.js";
export type { Answer, Tool, Workshop } from "./types.js";
