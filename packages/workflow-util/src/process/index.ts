export { resolveCommand } from "./executable.js";
export { describeEnd, ioFailed } from "./failure.js";
export {
  endRun,
  makeCgroup,
  removeCgroup,
  runMembers,
  signalRun,
} from "./members.js";
export { childPipe } from "./pipe.js";
export { runChild } from "./run-child.js";
export { definedOnly } from "./start.js";
export type { ChildEnd, ChildOutcome, ChildSpec, RunIdentity } from "./types.js";
