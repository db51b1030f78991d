import type { CasRef, Fault, Result, ThreadId } from "@uncaged/workflow-protocol";
import { type FlatMap, type FlatSpec, readFlatEntry, readFlatFile, updateFlatEntry } from "../flat/index.js";
import { THREAD_ID } from "../ids/index.js";
import type { Storage } from "../storage/index.js";

const SPEC: FlatSpec = { key: THREAD_ID, keyName: "thread id" };

/** threads.yaml as a map: thread id to head, of every thread that is listed as active. */
export function readHeads(storage: Storage): Promise<Result<FlatMap, Fault>> {
  return readFlatFile(storage.paths.threads, SPEC);
}

/** One thread's line of threads.yaml; `null` when there is none. Whether the thread has ended stands elsewhere: see `findThread`. */
export function readHead(storage: Storage, thread: ThreadId): Promise<Result<CasRef | null, Fault>> {
  return readFlatEntry(storage.paths.threads, SPEC, thread);
}

/** One line set, or taken out with `null`, after a look at what is there. The caller holds the index lock. */
export function updateHead(
  storage: Storage,
  thread: ThreadId,
  decide: (head: CasRef | null) => Result<CasRef | null, Fault>,
): Promise<Result<void, Fault>> {
  return updateFlatEntry(storage.paths.threads, SPEC, thread, decide);
}
