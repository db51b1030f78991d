/// <reference types="node" preserve="true" />

export {
  escapeControls,
  hasControls,
  lineProblem,
  sanitizeStream,
  sanitizeTerminal,
} from "@uncaged/json-cas";
export { ENV } from "@uncaged/workflow-protocol";
export {
  barredIn,
  type ContainedPath,
  OF_STORAGE_ROOT,
  openContained,
  pathOfOpen,
} from "./contained-path.js";
export {
  type Frontmatter,
  findFrontmatter,
  frontmatterSentence,
  parseFields,
  parseFrontmatterMarkdown,
  readHeader,
  repeatsOutput,
} from "./frontmatter/index.js";
export { GIT_COMMIT, GIT_NOBODY, gitBranchOf, gitEnvironment, outdatedGit, withoutGitPlaces } from "./git.js";
export {
  asThreadId,
  hasThreadIdPart,
  isInherited,
  isThreadIdPart,
  keyedThreadId,
  newThreadId,
  parseThreadId,
  RANDOM_LENGTH,
  timeOfThreadId,
  timePart,
} from "./ids.js";
export { createEventLog, createLogger, type EventLog } from "./logger.js";
export { once } from "./once.js";
export { codeCacheFolder, endingSignals, ignoredSignals, packageVersion } from "./own-program.js";
export {
  type ChildEnd,
  type ChildOutcome,
  type ChildSpec,
  childPipe,
  definedOnly,
  describeEnd,
  endRun,
  ioFailed,
  makeCgroup,
  type RunIdentity,
  removeCgroup,
  resolveCommand,
  runChild,
  runMembers,
  signalRun,
} from "./process/index.js";
export {
  chooseEntry,
  ENTRY,
  type Entry,
  entryIndex,
  type Parsed,
  parseScenario,
  plainEntry,
  SCENARIO,
  type Scenario,
  withHashes,
} from "./scenario/index.js";
export { createRedactor, type Redactor, type Secret, type TextStream } from "./secrets/index.js";
export { ago, bytes, count, counted, duration, money, summaryOf } from "./words.js";
export { CUT, hasBlank, isGluedComment, lineEnd, mistakesIn } from "./yaml-mistakes.js";
