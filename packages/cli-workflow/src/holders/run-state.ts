import { doubtAbout, type FoundRun, identityOf } from "@uncaged/workflow-store";
import { runMembers } from "@uncaged/workflow-util";

/** A run that is on disk and what can be told of its processes. */
export type RunState = {
  readonly run: FoundRun;
  /** The agent's own process; `null` while it is being started. */
  readonly pid: number | null;
  /** Whether any process of the run lives; `null` when that cannot be told from here. */
  readonly agentAlive: boolean | null;
};

/** `elsewhere`: its uwf runs where our list of processes does not reach, and so does its agent. */
export function runState(run: FoundRun, { elsewhere }: { readonly elsewhere: boolean }): RunState {
  const identity = identityOf(run);
  const lives = runMembers(identity).length > 0;
  const isKnown = lives || (!elsewhere && doubtAbout(run) === null);
  return { run, pid: identity.pid, agentAlive: isKnown ? lives : null };
}
