// What add-ons use of uwf itself, beside its libraries.

export type { DifferentLine, DocumentDifference } from "@uncaged/workflow-report";
export { document, storeStart, workflowHash, workflowName } from "./commands/index.js";
export type { Host, Messages } from "./io.js";
export {
  type AddOn,
  CHANGE_FAULTS,
  type CommandContext,
  type CommandOutput,
  type CommandResult,
  code,
  defineCommand,
  FOLDER,
  list,
  OPEN_REMOTE_FAULTS,
  OWN_UWF,
  PATH,
  POSITIVE,
  PROMPT_OPTIONS,
  REMOTE_FAULTS,
  section,
  THREAD,
  TIME,
  type Topic,
  type UwfCommand,
  WORKFLOW,
} from "./line/index.js";
export {
  ago,
  bytes,
  counted,
  left,
  lines,
  logTable,
  nextCommand,
  renderTable,
  right,
  type Screen,
  shrinking,
} from "./screen/index.js";
export { parseSince } from "./since.js";
export { userName } from "./user-name.js";
