import {
  type CasRef,
  type ChildLine,
  type Fault,
  ok,
  type Result,
  type ThreadId,
} from "@uncaged/workflow-protocol";
import { appendHistory, indexHistory } from "../archive.js";
import { withIndexLock } from "../locks.js";
import type { Storage } from "../storage.js";
import { appendChild, childIdOf, readFamily } from "./children.js";

/** A thread whose history was written again under another workflow, and where that was taken from. */
type Rewritten = {
  readonly thread: ThreadId;
  readonly head: CasRef;
  readonly from: CasRef;
  /** The thread in whose place it stands; `null`: any thread that stood at `from`. */
  readonly old: ThreadId | null;
};

/** `adoptChildrenUnderLock`, with the index lock. */
export function adoptChildren(storage: Storage, rewritten: Rewritten): Promise<Result<void, Fault>> {
  return withIndexLock(storage, async () => adoptChildrenUnderLock(storage, rewritten));
}

/**
 * Gives the thread a child of its own for each one that had ended by itself at `from`, with the same history and the same
 * end: a corrected parent finds the work done. A killed one may have been killed with its parent, and is started again.
 * Before the thread's head: a crash in between leaves ended threads that nothing refers to. The caller holds the index lock.
 */
export function adoptChildrenUnderLock(storage: Storage, rewritten: Rewritten): Result<void, Fault> {
  const { thread, head, from, old } = rewritten;
  const family = readFamily(storage);
  if (!family.ok) return family;
  // Now, so that its steps are older than itself: they were paid for by the other one.
  const at = storage.now();
  // Of several in one place the newest is the one that its parent would find.
  const newest = new Map<string, ChildLine>();
  for (const line of family.value.lines)
    if (!line.imported && line.head === from && (old === null || line.parent === old))
      newest.set(JSON.stringify([line.role, line.item]), line);
  for (const { child, role, item } of newest.values()) {
    const history = indexHistory(storage, child);
    if (!history.ok) return history;
    const end = history.value.line(child);
    if (end === null || end.reason === "killed") continue;
    const own = childIdOf({ parent: thread, head, role, item }, at);
    const linked = appendChild(storage, { child: own, parent: thread, head, role, item, at });
    const { workflow, head: last, reason } = end;
    const copy = { thread: own, workflow, head: last, reason, completedAt: at };
    const ended = linked.ok ? appendHistory(storage, copy) : linked;
    if (!ended.ok) return ended;
  }
  return ok(undefined);
}
