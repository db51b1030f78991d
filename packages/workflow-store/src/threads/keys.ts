import { type Fault, isThreadId, ok, type Result, type ThreadId } from "@uncaged/workflow-protocol";
import { RANDOM_LENGTH } from "@uncaged/workflow-util";
import { isEpochMs } from "../json.js";
import { appendLines, type LineShape, readLines } from "../line-file.js";
import type { Storage } from "../storage.js";

// keys.jsonl   a line per thread that this root started by a key, or put in another one's place; under the index lock,
//              before the thread's head
//
// The end of such a thread's id follows from its key, or is that of the other one. An id proves nothing by itself: an
// import brings threads with any.

/** `keyed`: a key finds it. */
type KeyLine = { readonly thread: ThreadId; readonly keyed: boolean; readonly at: number };

const SHAPE: LineShape<KeyLine> = {
  asLine: ({ thread, keyed, at }) =>
    isThreadId(thread) && typeof keyed === "boolean" && isEpochMs(at) ? { thread, keyed, at } : null,
  fields: "{thread, keyed, at}",
};

/** Those that have the key of which this id is made. Some may be no threads any more, or not yet. */
export function threadsOfKey({ paths }: Storage, id: ThreadId): Result<readonly ThreadId[], Fault> {
  const lines = readLines(paths.keys, SHAPE);
  if (!lines.ok) return lines;
  const random = id.slice(-RANDOM_LENGTH);
  return ok(lines.value.flatMap(({ thread, keyed }) => (keyed && thread.endsWith(random) ? [thread] : [])));
}

/** The newest line that this root has written about the thread; `null`: it has none. */
export function readKeyLine({ paths }: Storage, thread: ThreadId): Result<KeyLine | null, Fault> {
  const lines = readLines(paths.keys, SHAPE);
  return lines.ok ? ok(lines.value.findLast((line) => line.thread === thread) ?? null) : lines;
}

/** The caller holds the index lock. */
export function appendKey(storage: Storage, thread: ThreadId, keyed: boolean): Result<void, Fault> {
  return appendLines(storage.paths.keys, SHAPE, [{ thread, keyed, at: storage.now() }]);
}
