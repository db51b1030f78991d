export { makeCgroup, removeCgroup } from "./cgroup.js";
export { endRun } from "./end.js";
export { definedOnly } from "./environment.js";
export { ioFailed } from "./io-failed.js";
export { runMembers, signalRun } from "./members.js";
export { childPipe } from "./pipe.js";
export { resolveCommand } from "./resolve.js";
export { runChild } from "./run-child.js";
export type {
  ChildEnd,
  ChildLimits,
  ChildOutcome,
  ChildOutput,
  ChildPipe,
  ChildSpec,
  ChildStdin,
  IoFailed,
  RunIdentity,
} from "./types.js";
