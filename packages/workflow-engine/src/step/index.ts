export { checkDrivenProgram, findAgentProgram } from "./agent-program.js";
export { asksAt, notAsked, playerOf } from "./answer.js";
export { planRun, strangerIn } from "./cast.js";
export { runsToEnd } from "./claim.js";
export { decideAtHead, failedAt, targetName } from "./decide.js";
export { heldFault, waitFault } from "./held.js";
export { parse } from "./parse.js";
export { configure, planNext, readSettings, type Settings } from "./plan.js";
export { threadFailure } from "./print.js";
export type { RunFault } from "./run-fault.js";
export { buildWalls } from "./sandbox.js";
export { limitsOf, reachedOf } from "./spending.js";
export { followStderr } from "./stderr-follow.js";
export { step } from "./step.js";
export { watchSignals } from "./stop.js";
export type {
  AgentCommand,
  RawStepRequest,
  StepDeps,
  StepRequest,
  StepState,
  StepWatch,
  WatchedRun,
} from "./types.js";
