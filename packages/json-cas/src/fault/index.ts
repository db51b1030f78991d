export { CasError } from "./error.js";
export { faultMessage, schemaProblemMessage, violationMessage } from "./message.js";
export type { CasFault, SchemaProblem, Violation } from "./types.js";
