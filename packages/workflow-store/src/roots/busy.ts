import { judgeHolder } from "@uncaged/json-cas-fs";
import { type Fault, ok, type Result, type ThreadId } from "@uncaged/workflow-protocol";
import { runMembers } from "@uncaged/workflow-util";
import { attempt } from "../attempt/index.js";
import { doubtAbout, type FoundRun, findRuns, identityOf } from "../runs/index.js";
import type { Storage } from "../storage/index.js";
import { readHolder, threadsWithRuns } from "../threads/index.js";

/**
 * When the oldest run began that may still be under way, epoch ms; `null` when there is none. What its agent has stored
 * no root names yet. One that is dead has said in its stdout what it ever will.
 */
export function oldestLiveRun(storage: Storage): Result<number | null, Fault> {
  const threads = threadsWithRuns(storage);
  if (!threads.ok) return threads;
  let oldest: number | null = null;
  for (const thread of threads.value) {
    const runs = findRuns(storage, thread);
    if (!runs.ok) return runs;
    const held = attempt(() => isHeld(storage, thread));
    if (!held.ok) return held;
    for (const run of runs.value) {
      if (held.value || isAlive(run)) oldest = Math.min(oldest ?? run.record.startedAt, run.record.startedAt);
    }
  }
  return ok(oldest);
}

/** By a uwf that lives, or that cannot be judged from here. */
function isHeld(storage: Storage, thread: ThreadId): boolean {
  const holder = readHolder(storage, thread);
  return holder !== null && judgeHolder(holder) !== "dead";
}

function isAlive(run: FoundRun): boolean {
  return doubtAbout(run) !== null || runMembers(identityOf(run)).length > 0;
}
