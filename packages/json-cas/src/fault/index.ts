export { CasError } from "./error.js";
export { faultMessage, schemaProblemMessage, shownIds, violationMessage } from "./message.js";
export type { CasFault, SchemaProblem, Violation } from "./types.js";
