export { load } from "./load.js";
export { bindWait } from "./options.js";
export { parseFault } from "./parse-fault.js";
export { buildProgram } from "./program.js";
export type { Invoke } from "./types.js";
