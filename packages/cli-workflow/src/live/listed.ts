import { statSync } from "node:fs";
import { listedThread } from "@uncaged/workflow-engine";
import { type Fault, ok, type Result, type ThreadId } from "@uncaged/workflow-protocol";
import { findThread, type ListedThread, type Storage, threadRunsPath } from "@uncaged/workflow-store";

/** Looks between two readings of a thread of which nothing is seen to change: a time passes, or another thread moves. */
const SELDOM = 25;

type Known = { readonly stamp: string; readonly listed: ListedThread; readonly looks: number };

/**
 * Whether threads have ended, and what they wait for. A thread is read again when its folder has changed or the log has told
 * of it (`isTouched`): what has ended may be a large file.
 */
export function listedReader(
  storage: Storage,
): (thread: ThreadId, isTouched: boolean) => Promise<Result<ListedThread, Fault>> {
  const known = new Map<ThreadId, Known>();
  return async (thread, isTouched) => {
    const stamp = readStamp(threadRunsPath(storage, thread));
    const before = known.get(thread);
    const looks = (before?.looks ?? 0) + 1;
    if (before?.stamp === stamp && !isTouched && looks % SELDOM !== 0) {
      known.set(thread, { ...before, looks });
      return ok(before.listed);
    }
    const state = await findThread(storage, thread);
    const listed = state.ok ? await listedThread(storage, state.value) : state;
    if (listed.ok) known.set(thread, { stamp, listed: listed.value, looks });
    return listed;
  };
}

/** Changes when a run begins or ends, and when hold.json, pause.json or `ending` comes or goes. */
function readStamp(folder: string): string {
  const found = statSync(folder, { throwIfNoEntry: false });
  return found === undefined ? "" : `${found.ino} ${found.mtimeMs}`;
}
