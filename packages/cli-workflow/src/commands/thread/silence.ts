import { type RunAt, runAt } from "@uncaged/workflow-engine";
import type { RunningRun, ThreadId } from "@uncaged/workflow-protocol";
import { type ListedThread, listLocks, type Storage } from "@uncaged/workflow-store";

/** Silent for so long, a run may hang. */
const LONG_SILENCE_MS = 5 * 60_000;

/** The last sign of life of a run that has been silent for long; `null`: it has not, or there is none. */
export function silentSince({ running }: RunAt, now: number): string | null {
  if (running === null || running.uwf === "dead") return null;
  const sign = lastSignOf(running);
  return now - sign >= LONG_SILENCE_MS ? new Date(sign).toISOString() : null;
}

/** The same for many threads. Looks only at those that a process holds. */
export function silenceReader(storage: Storage, now: number): (state: ListedThread) => string | null {
  let locked: ReadonlySet<ThreadId> | null = null;
  return (state) => {
    if (state.kind !== "active") return null;
    locked ??= lockedThreads(storage);
    const run = locked.has(state.thread) ? runAt(storage, state) : null;
    return run?.ok ? silentSince(run.value, now) : null;
  };
}

function lockedThreads(storage: Storage): ReadonlySet<ThreadId> {
  const locks = listLocks(storage);
  return new Set(
    locks.ok ? locks.value.flatMap((lock) => (lock.kind === "thread" ? [lock.thread] : [])) : [],
  );
}

/** Epoch ms. A run that has given none yet has been silent since its start. */
function lastSignOf({ since, lastSignOfLife }: RunningRun): number {
  return lastSignOfLife === null ? since : Date.parse(lastSignOfLife);
}
