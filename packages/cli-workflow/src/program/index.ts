export { describedProgram, offeredOptions } from "./described.js";
export { load } from "./load.js";
export { parseFault } from "./options.js";
export { buildProgram } from "./program.js";
