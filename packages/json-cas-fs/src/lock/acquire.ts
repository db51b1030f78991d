import { CasError } from "@uncaged/json-cas";
import { describeHolder } from "./judge.js";
import { tryLock } from "./lock.js";
import type { Lock, LockBusy } from "./types.js";

/** Polling starts at 1 ms and slows down to this. */
const SLOWEST_POLL_MS = 25;

/**
 * Takes the lock, waiting up to `waitMs` (0: tries once) while somebody else has it.
 * Throws `CasError` `LOCK_BUSY` naming the holder, or `IO_FAILED`.
 */
export async function acquireLock(
  path: string,
  options: { readonly waitMs: number },
  now: () => number = Date.now,
): Promise<Lock> {
  let deadline: number | null = null;
  for (let pause = 1; ; pause = Math.min(pause * 2, SLOWEST_POLL_MS)) {
    const taken = tryLock(path, now);
    if (taken.kind === "lock") return taken;
    // Not before: the clock costs Node.js 1 ms when it is first touched.
    deadline ??= performance.now() + options.waitMs;
    const left = deadline - performance.now();
    if (left <= 0) throw busy(taken, options.waitMs);
    await sleep(Math.min(pause, left));
  }
}

function sleep(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}

function busy({ path, holder, judgement }: LockBusy, waitedMs: number): CasError {
  const doubt = judgement === "unknown" ? " (whether it is alive cannot be told from here)" : "";
  return new CasError({
    code: "LOCK_BUSY",
    lock: path,
    holder: `${describeHolder(holder)}${doubt}`,
    waitedMs,
  });
}
