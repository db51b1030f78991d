import { membersOf, signalMembers } from "./members.js";
import type { RunIdentity } from "./types.js";
import { monotonicMs, sleep } from "./watch.js";

/** A process in uninterruptible sleep outlives SIGKILL; uwf waits for it no longer than this. */
const KILL_WAIT_MS = 5_000;

/**
 * Ends a run: SIGTERM, then SIGKILL after `graceMs`. `true` if none of it is left. `trustGroup`: its leader was
 * our child until a moment ago, so the rest of its group is found without the token.
 */
export function endRun(identity: RunIdentity, graceMs: number, trustGroup = false): Promise<boolean> {
  return end({ identity, trustGroup, signal: "SIGTERM", graceMs, gone: () => true });
}

type Ending = {
  readonly identity: RunIdentity;
  readonly trustGroup: boolean;
  readonly signal: NodeJS.Signals;
  readonly graceMs: number;
  /** A further condition of being over: our own child's exit was collected. */
  readonly gone: () => boolean;
};

export async function end(ending: Ending): Promise<boolean> {
  const over = (): boolean => ending.gone() && membersOf(ending.identity, ending.trustGroup).length === 0;
  if (over()) return true;
  signalMembers(ending.identity, ending.trustGroup, ending.signal);
  if (await waitUntil(over, ending.graceMs)) return true;
  return waitUntil(() => {
    // Again each time: a member may have forked between the look and the signal.
    signalMembers(ending.identity, ending.trustGroup, "SIGKILL");
    return over();
  }, KILL_WAIT_MS);
}

// Short naps first: most processes obey at once.
async function waitUntil(condition: () => boolean, limitMs: number): Promise<boolean> {
  const deadline = monotonicMs() + limitMs;
  for (let napMs = 5; ; napMs = Math.min(napMs * 2, 100)) {
    if (condition()) return true;
    const left = deadline - monotonicMs();
    if (left <= 0) return false;
    await sleep(Math.min(napMs, left));
  }
}
