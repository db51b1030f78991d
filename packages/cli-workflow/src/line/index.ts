export {
  ADD_ONS,
  type AddOn,
  type AddOnName,
  addedCommand,
  type Differences,
  loadAddOn,
  provideCore,
} from "./add-ons.js";
export type {
  CommandContext,
  CommandOutput,
  CommandResult,
} from "./define.js";
export { defineCommand, defineRootCommand, type UwfCommand } from "./define.js";
export {
  CHANGE_FAULTS,
  CONFIG_FAULTS,
  declaredFaults,
  OPEN_REMOTE_FAULTS,
  ownExits,
  REMOTE_FAULTS,
  ROOT_FAULTS,
  ROUTING_FAULTS,
  STEP_FAULTS,
} from "./faults.js";
export {
  ACTIVE_THREAD,
  AGENT,
  COUNT,
  ENDED_THREAD,
  FOLDER,
  HASH,
  KEY,
  MINUTES,
  NAME,
  OUTPUT,
  PATH,
  POSITIVE,
  PROMPT,
  REGISTERED,
  ROLE,
  ROLE_OF_WORKFLOW,
  SECONDS,
  type Source,
  STORED_WORKFLOW,
  TEXT,
  THREAD,
  TIME,
  USD,
  WHEN,
  WHEN_WORDS,
  WORKFLOW,
} from "./kinds.js";
export {
  BOUND_OPTIONS,
  boundsOf,
  MOVE_OPTION,
  PROMPT_OPTIONS,
  START_OPTIONS,
  STEP_OPTIONS,
  stepRequest,
  WAIT_OPTION,
  waitMsOf,
} from "./options.js";
export { OWN_BIN, OWN_UWF, ownVersion } from "./own-bin.js";
export type { CommandWords } from "./program.js";
export { COMMON_EXITS, EVERYWHERE, everywhere, pageOf, programOn, sampleText, VALUED } from "./program.js";
export {
  type Block,
  code,
  defineTopic,
  HELP_TOPICS,
  list,
  OWN_TOPICS,
  type Section,
  section,
  type Topic,
  type TopicName,
} from "./topics.js";
