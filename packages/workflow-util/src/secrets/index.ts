export { createRedactor, type Redactor, type Strange, type TextStream } from "./redactor.js";
export type { Secret } from "./spellings.js";
