export { createRedactor } from "./redactor.js";
export type { Redactor, Secret, Strange, TextStream } from "./types.js";
