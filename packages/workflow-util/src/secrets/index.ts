export { createRedactor, type Redactor, type TextStream } from "./redactor.js";
export type { Secret } from "./views.js";
