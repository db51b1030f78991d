export {
  exitCodeOf,
  fault,
  faultIn,
  fromCasFault,
  hintOf,
  holdFault,
  isRetryable,
  isRoutingFault,
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
  ExitCode,
  Fault,
  FaultCode,
  FaultOf,
  FaultReport,
  FaultSpec,
  Problem,
  ProblemCode,
  Whose,
} from "./types.js";
