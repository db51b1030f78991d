export { CasInputError } from "./error.js";
export { type ErrorFormat, errorFormatOf, escapeControls, printable, renderFault } from "./render.js";
export { exitCodeOf, hintOf, isRetryable, messageOf } from "./table.js";
export type { BugFault, CasCommandFault, CliFault, ExitCode, InputFault, UsageFault } from "./types.js";
