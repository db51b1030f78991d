import {
  type CasRef,
  err,
  type Fault,
  fault,
  ok,
  type Result,
  type ThreadId,
} from "@uncaged/workflow-protocol";
import { readHistoryOf } from "../history/index.js";
import { withIndexLock } from "../locks/index.js";
import { keepFolder } from "../runs/index.js";
import type { Storage } from "../storage/index.js";
import { readHead, updateHead } from "./heads-file.js";

/**
 * A new thread, and the folder in which its agents work. Its id is fresh; one that exists already is refused rather than
 * re-pointed. Takes the index lock.
 */
export function addThread(
  storage: Storage,
  thread: ThreadId,
  head: CasRef,
  folder: string | null = null,
): Promise<Result<void, Fault>> {
  return withIndexLock(storage, async () => {
    const there = await refuseKnown(storage, thread);
    if (!there.ok) return there;
    // Before the head: a crash in between leaves a file of a thread that nobody knows, and no thread without its folder.
    const kept = folder === null ? ok(undefined) : keepFolder(storage, thread, folder);
    return kept.ok ? updateHead(storage, thread, () => ok(head)) : kept;
  });
}

async function refuseKnown(storage: Storage, thread: ThreadId): Promise<Result<void, Fault>> {
  const ended = readHistoryOf(storage, thread);
  if (!ended.ok) return ended;
  const head = await readHead(storage, thread);
  if (!head.ok) return head;
  return head.value === null && ended.value === null
    ? ok(undefined)
    : err(fault("INVALID_INPUT", { what: `thread ${thread}`, reason: "it exists already" }));
}
