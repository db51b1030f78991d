export { parseFault } from "./parse-fault.js";
export { buildProgram } from "./program.js";
