export { EXIT_CODES, type ExitCode } from "./exits.js";
export {
  exitCodeOf,
  exitCodesOf,
  fault,
  faultIn,
  fromCasFault,
  hintOf,
  holdFault,
  isRetryable,
  isRoutingFault,
  isWaitFault,
  messageOf,
  reportOf,
  waitingFault,
  whoseIs,
} from "./faults.js";
export { PROBLEMS } from "./problems.js";
export {
  afterAttempts,
  FAILURE_REASONS,
  type FailureReason,
  leavingThread,
  ofRun,
  problemHelp,
  problemLine,
  type ReportedFault,
  type RunFacts,
  reasonOf,
  type Why,
} from "./reason.js";
export { FAULTS, IS_FOLDER } from "./table.js";
export type {
  Fault,
  FaultCode,
  FaultOf,
  FaultReport,
  FaultSpec,
  Problem,
  ProblemCode,
  Whose,
} from "./types.js";
