export { createRedactor } from "./redactor.js";
export type { Redactor, Secret, TextStream } from "./types.js";
