import {
  type CasRef,
  type ChildLine,
  err,
  type Fault,
  fault,
  isThreadId,
  ok,
  type Result,
  type ThreadId,
} from "@uncaged/workflow-protocol";
import { asThreadId, RANDOM_LENGTH, timeOfThreadId, timePart } from "@uncaged/workflow-util";
import { addThreadUnderLock, readHeads, withdrawThreadUnderLock, writeEndingUnderLock } from "../heads.js";
import { appendHistory, readThreadHistory } from "../history.js";
import { withIndexLock } from "../locks.js";
import type { Storage } from "../storage.js";
import { readThreadRecord } from "../thread-records.js";
import { appendChild, appendKey, childIdOf, hasPlace, readFamily, readKeyLine } from "./children.js";
import { inheritSpending } from "./spending.js";

type SuccessorPoint = {
  readonly head: CasRef;
  readonly workFolder: string;
  /** The node whose history was written again under another workflow; `null`: it is the old thread's own. */
  readonly rewrittenFrom: CasRef | null;
};

/** `existing`: an earlier try created it and was cut short. */
type Successor = { readonly thread: ThreadId; readonly existing: boolean };

/**
 * Adds a thread that replaces another one: it gets that one's key, limits, spending and parent, and the other
 * one ends. Of two successors started at the same time for the same head, the first one wins. The thread's
 * files are written before its head: a crash in between leaves files that nothing refers to. Takes the index
 * lock.
 */
export function addSuccessor(
  storage: Storage,
  old: ThreadId,
  { head, workFolder, rewrittenFrom: from }: SuccessorPoint,
): Promise<Result<Successor, Fault>> {
  return withIndexLock(storage, async (): Promise<Result<Successor, Fault>> => {
    const taken = await findSuccessor(storage, old);
    if (!taken.ok) return taken;
    if (taken.value !== null) {
      if (taken.value.head === head) return ok({ thread: taken.value.thread, existing: true });
      const reason = `thread ${taken.value.thread} stands in its place already`;
      return err(fault("INVALID_INPUT", { what: `--instead-of ${old}`, reason }));
    }
    const thread = successorId(old, storage.now());
    if (thread === null) {
      const reason = "its id is the last one that there can be, so no thread can come after it";
      return err(fault("INVALID_INPUT", { what: `--instead-of ${old}`, reason }));
    }
    const inherited = inheritSpending(storage, { from: old, to: thread });
    const linked = inherited.ok ? linkAs(storage, old, thread) : inherited;
    if (!linked.ok) return linked;
    const adopted =
      from === null ? ok(undefined) : adoptChildrenUnderLock(storage, { thread, head, from, old });
    if (!adopted.ok) return adopted;
    const done = await addAndEnd(storage, { thread, head, workFolder }, old);
    return done.ok ? ok({ thread, existing: false }) : done;
  });
}

/**
 * Both or none: two active threads would both be stepped. A write that failed may be there all the same, if only its
 * last fsync did not succeed. The next try finds what is left when the withdrawal fails too.
 */
async function addAndEnd(
  storage: Storage,
  { thread, head, workFolder }: Omit<SuccessorPoint, "rewrittenFrom"> & { readonly thread: ThreadId },
  old: ThreadId,
): Promise<Result<unknown, Fault>> {
  const added = await addThreadUnderLock(storage, thread, head, workFolder);
  const done = added.ok ? await writeEndingUnderLock(storage, old, "killed") : added;
  if (done.ok || done.error.code === "THREAD_ENDED") return ok(undefined);
  const ending = added.ok ? readThreadRecord(storage, old, "ending") : added;
  if (ending.ok && ending.value !== null) return done;
  const withdrawn = await withdrawThreadUnderLock(storage, thread, head);
  return withdrawn.ok ? done : withdrawn;
}

/**
 * Makes a newer id with the same random part, by which the parent, or a caller with the key, finds the
 * thread. `null`: the later time does not fit into an id. An import may bring any id, and a malformed one in
 * threads.yaml would stop every command.
 */
function successorId(thread: ThreadId, nowMs: number): ThreadId | null {
  const time = Math.max(nowMs, timeOfThreadId(thread) + 1);
  return asThreadId(`${timePart(time)}${thread.slice(-RANDOM_LENGTH)}`);
}

/** The active thread that has taken the place of another one; `null`: none has. */
async function findSuccessor(
  storage: Storage,
  thread: ThreadId,
): Promise<Result<{ readonly thread: ThreadId; readonly head: CasRef } | null, Fault>> {
  const heads = await readHeads(storage);
  if (!heads.ok) return heads;
  const random = thread.slice(-RANDOM_LENGTH);
  for (const [id, head] of heads.value)
    if (isThreadId(id) && id > thread && id.endsWith(random)) {
      const placed = hasPlace(storage, id);
      if (!placed.ok) return placed;
      if (placed.value) return ok({ thread: id, head });
    }
  return ok(null);
}

/** Records that the thread replaces the other one, as the child of the same parent, or else under its key. */
function linkAs(storage: Storage, old: ThreadId, thread: ThreadId): Result<void, Fault> {
  const family = readFamily(storage);
  if (!family.ok) return family;
  const of = family.value.parentOf(old);
  if (of !== null) return appendChild(storage, { ...of, child: thread, at: storage.now() });
  const line = readKeyLine(storage, old);
  return line.ok ? appendKey(storage, thread, line.value?.keyed === true) : line;
}

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
function adoptChildrenUnderLock(storage: Storage, rewritten: Rewritten): Result<void, Fault> {
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
    const found = readThreadHistory(storage, child);
    if (!found.ok) return found;
    const end = found.value;
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
