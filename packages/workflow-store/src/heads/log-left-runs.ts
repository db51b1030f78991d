import type { EndingRecord, ThreadId } from "@uncaged/workflow-protocol";
import { createLogger } from "@uncaged/workflow-util";
import { type FoundRun, findRuns } from "../runs/index.js";
import type { Storage } from "../storage/index.js";

/**
 * Every run leaves a trace in the log: one that a killed thread still has was of a uwf that is gone, for a living one
 * tells of its run and takes it away itself. A run of another head than the last has told its step already.
 */
export function logLeftRuns(storage: Storage, thread: ThreadId, { head }: Pick<EndingRecord, "head">): void {
  const found = findRuns(storage, thread);
  // A run that cannot be read has nothing to tell, and must not keep the thread from ending.
  for (const run of found.ok ? found.value : []) if (run.record.head === head) logLeft(storage, thread, run);
}

function logLeft({ paths, now }: Storage, thread: ThreadId, { token, record }: FoundRun): void {
  const { role, command, head, attempt } = record;
  const log = createLogger({ dir: paths.logs, now, thread });
  log("D3W8KZ5H", `the run as ${role} was left by its uwf, and its thread has ended`, {
    role,
    agent: command[0] ?? "",
    run: token,
    head,
    attempt,
    durationMs: null,
    exitCode: null,
    signal: null,
    outcome: "abandoned",
    code: "THREAD_ENDED",
    usage: null,
  });
}
