import type { CasRef, Fault, Result, ThreadId } from "@uncaged/workflow-protocol";
import { type FlatEdit, type FlatMap, type FlatSpec, readFlatFile, updateFlatFile } from "../flat/index.js";
import { THREAD_ID } from "../ids/index.js";
import type { Storage } from "../storage/index.js";

const SPEC: FlatSpec = { key: THREAD_ID, keyName: "thread id" };

/** threads.yaml as a map: thread id to head, of every thread that is listed as active. */
export function readHeads(storage: Storage): Promise<Result<FlatMap, Fault>> {
  return readFlatFile(storage.paths.threads, SPEC);
}

/** One line changed after a look at all of them. The caller holds the index lock. */
export function updateHeads(
  storage: Storage,
  decide: (heads: FlatMap) => Result<FlatEdit | null, Fault>,
): Promise<Result<void, Fault>> {
  return updateFlatFile(storage.paths.threads, SPEC, decide);
}

export function headLine(thread: ThreadId, head: CasRef): FlatEdit {
  return { key: thread, value: head };
}
