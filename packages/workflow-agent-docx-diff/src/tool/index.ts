export type { ToolFault } from "./fault.js";
export { readDocument } from "./files.js";
export { type Host, main } from "./main.js";
