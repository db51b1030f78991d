export { type Called, runCommand, TRACE_LIMIT } from "./run.js";
export type { Order, Port, Ran } from "./types.js";
