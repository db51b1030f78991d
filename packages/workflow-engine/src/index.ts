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
export {
  type Answer,
  childPrompt,
  HELP,
  isPassing,
  lastingFault,
  playWorkflow,
  type Uwf,
  uwfAt,
  warningsIn,
} from "./children/index.js";
export { givenFolder, leadsInto } from "./folder.js";
export {
  holderOutput,
  type RunAt,
  type RunState,
  readPsItem,
  runAt,
  runState,
  verdictSentence,
} from "./holders.js";
export type { Host, Messages, TextSink } from "./host.js";
export { renderYaml } from "./late-yaml.js";
export { undecidedWords } from "./listing-decider.js";
export { allMisspeltNames, misspeltNames, type NamingConfig } from "./overrides.js";
export { nameRoot } from "./own-root.js";
export { partIn } from "./part.js";
export { junitText, type Tested, testWorkflows } from "./play/index.js";
export { type UndefinedAlias, undefinedAliases } from "./project.js";
export { buildQuestion } from "./question.js";
export { type Asked, readQuestion } from "./read-question.js";
export { createRedactors } from "./redactor.js";
export {
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
  step,
  strangerIn,
  targetName,
  threadFailure,
  type WatchedRun,
  waitFault,
  watchSignals,
} from "./step/index.js";
export {
  ENDED_AS,
  listedThread,
  type ThreadView,
  type ThreadViews,
  threadView,
  withThreadViews,
} from "./thread-view.js";
export { WHO_PLAYS } from "./who-plays.js";
export { splitWords } from "./words.js";
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
