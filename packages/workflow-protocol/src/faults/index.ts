export {
  exitCodeOf,
  fault,
  fromCasFault,
  hintOf,
  isRetryable,
  isRoutingFault,
  messageOf,
  reportOf,
} from "./faults.js";
export { afterAttempts, ofRun, type RunFacts } from "./of-run.js";
export { problemLine } from "./problem.js";
export {
  FAILURE_REASONS,
  type FailureReason,
  type ReportedFault,
  reasonOf,
  type Why,
} from "./reason.js";
export { FAULTS } from "./table.js";
export type {
  ExitCode,
  Fault,
  FaultCode,
  FaultOf,
  FaultReport,
  FaultSpec,
  Problem,
  ProblemCode,
} from "./types.js";
