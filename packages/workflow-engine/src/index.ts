/// <reference types="node" preserve="true" />
export {
  agentsOnPath,
  agentsToChoose,
  askProgram,
  CODING_AGENTS,
  drivesAProgram,
  type InstalledAgent,
  installedAgents,
  lackingCommand,
  lackingModel,
  type OwnAgentName,
  ownAgent,
  runsACommand,
} from "./agents.js";
export { type Given, readFieldAnswer, readTextAnswer } from "./answer-read.js";
export { checkAgentProgram, checkCast } from "./check-cast.js";
export { childPrompt, partIn } from "./child-prompt.js";
export {
  type Answer,
  HELP,
  isPassing,
  lastingFault,
  playWorkflow,
  type Uwf,
  uwfAt,
  warningsIn,
} from "./children/index.js";
export {
  holderOutput,
  type RunAt,
  type RunState,
  readPsItem,
  runAt,
  runState,
  verdictSentence,
} from "./holders.js";
export { givenFolder, type Host, leadsInto, type Messages, nameRoot, type TextSink } from "./host.js";
export { renderYaml } from "./late-yaml.js";
export {
  allMisspeltNames,
  misspeltNames,
  type NamingConfig,
  type UndefinedAlias,
  undefinedAliases,
} from "./overrides.js";
export { junitText, type Tested, testWorkflows } from "./play/index.js";
export { buildQuestion } from "./question.js";
export { type Asked, readQuestion } from "./read-question.js";
export {
  createRedactors,
  decideAtHead,
  failedAt,
  followStderr,
  heldFault,
  limitsOf,
  parse,
  planNext,
  type RawStepRequest,
  type RunFault,
  reachedOf,
  runsToEnd,
  type StepDeps,
  type StepRequest,
  type StepWatch,
  splitWords,
  step,
  strangerIn,
  targetName,
  threadFailure,
  type WatchedRun,
  WHO_PLAYS,
  waitFault,
  watchSignals,
} from "./step/index.js";
export {
  ENDED_AS,
  listedThread,
  type ThreadView,
  type ThreadViews,
  threadView,
  undecidedWords,
  withThreadViews,
} from "./thread-view.js";
export {
  type AssembledWorkflow,
  assembledOf,
  assembleWorkflow,
  authoredOf,
  type CheckedWorkflow,
  checkWorkflowFile,
  type HashedWorkflow,
  isPath,
  type ResolvedWorkflow,
  resolveWorkflow,
  shownFrom,
  storeWorkflow,
} from "./workflow.js";
export { toYaml } from "./yaml.js";
