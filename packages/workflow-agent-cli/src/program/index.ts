export { callProgram, findProgram } from "./call.js";
export type { Called, ProgramCall, ProgramRun, Surroundings } from "./types.js";
