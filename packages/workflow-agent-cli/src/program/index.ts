export { callProgram, findProgram } from "./call.js";
export { type Called, GRACE_MS, type ProgramCall, type ProgramRun, type Surroundings } from "./types.js";
