import { existsSync } from "node:fs";
import { dirname } from "node:path";
import {
  createFileExclusive,
  isCopied,
  type Lock,
  makeDir,
  readLock,
  refuseLink,
} from "@uncaged/json-cas-fs";
import {
  type CasRef,
  type EndingRecord,
  err,
  type Fault,
  fault,
  type HistoryLine,
  type HistoryReason,
  ok,
  type Result,
  THREAD_ID,
  type ThreadId,
} from "@uncaged/workflow-protocol";
import { attempt } from "./attempt.js";
import { workflowOfHead } from "./chain.js";
import { removeTree } from "./files.js";
import { type HashMap, type HashMapSpec, readHashMap, updateHashMap } from "./hash-map-file.js";
import { appendHistory, readCheckedHistory, readHistory, readThreadHistory } from "./history.js";
import { withIndexLock } from "./locks.js";
import { threadRunsPath } from "./run-dir.js";
import type { Storage } from "./storage.js";
import { isOnRemote, readThreadRecord, threadRecordPath, writeThreadRecord } from "./thread-records.js";

const SPEC: HashMapSpec = { key: THREAD_ID, keyName: "thread id" };

/** threads.yaml as a map: thread id to head, of every thread that is listed as active. */
export function readHeads(storage: Storage): Promise<Result<HashMap, Fault>> {
  return readHashMap(storage.paths.threads, SPEC);
}

/**
 * One thread's line of threads.yaml; `null` if there is none. Whether the thread has ended is decided by
 * `findThread`.
 */
export async function readHead(storage: Storage, thread: ThreadId): Promise<Result<CasRef | null, Fault>> {
  const heads = await readHeads(storage);
  return heads.ok ? ok(heads.value.get(thread) ?? null) : heads;
}

/** The head of an active thread; `THREAD_ENDED` for one that has ended, also where its archive is not complete yet. */
export async function activeHead(storage: Storage, thread: ThreadId): Promise<Result<CasRef, Fault>> {
  const ending = readThreadRecord(storage, thread, "ending");
  if (!ending.ok) return ending;
  if (ending.value !== null) return err(fault("THREAD_ENDED", { thread, reason: ending.value.reason }));
  const head = await readHead(storage, thread);
  if (!head.ok) return head;
  return head.value === null ? endedOrUnknown(storage, thread) : ok(head.value);
}

/** Sets one line, or removes it with `null`, after checking the current one. The caller holds the index lock. */
export function updateHead(
  storage: Storage,
  thread: ThreadId,
  decide: (head: CasRef | null) => Result<CasRef | null, Fault>,
): Promise<Result<void, Fault>> {
  return updateHashMap(storage.paths.threads, SPEC, (heads) => {
    const next = decide(heads.get(thread) ?? null);
    return next.ok ? ok([{ key: thread, value: next.value }]) : next;
  });
}

/** Sets the lines of many threads in one write. The caller holds the index lock. */
export function setHeads(
  storage: Storage,
  heads: ReadonlyMap<ThreadId, CasRef>,
): Promise<Result<void, Fault>> {
  const edits = [...heads].map(([key, value]) => ({ key, value }));
  return updateHashMap(storage.paths.threads, SPEC, () => ok(edits));
}

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
  return withIndexLock(storage, () => addThreadUnderLock(storage, thread, head, folder));
}

/** The same for a caller that holds the index lock. */
export async function addThreadUnderLock(
  storage: Storage,
  thread: ThreadId,
  head: CasRef,
  folder: string | null,
): Promise<Result<void, Fault>> {
  const there = await refuseKnown(storage, thread);
  if (!there.ok) return there;
  // Before the head: a crash in between leaves a file of an unknown thread, but never a thread without its
  // folder.
  const kept =
    folder === null ? ok(undefined) : writeThreadRecord(storage, thread, "folder", { cwd: folder });
  return kept.ok ? updateHead(storage, thread, () => ok(head)) : kept;
}

async function refuseKnown(storage: Storage, thread: ThreadId): Promise<Result<void, Fault>> {
  const head = await readHead(storage, thread);
  if (!head.ok) return head;
  const ended = readThreadHistory(storage, thread);
  if (!ended.ok) return ended;
  return head.value === null && ended.value === null
    ? ok(undefined)
    : err(fault("INVALID_INPUT", { what: `thread ${thread}`, reason: "it exists already" }));
}

/** A thread that no other process can step or archive until it is released. */
export type ThreadLock = { readonly thread: ThreadId; readonly lock: Lock };

/**
 * Whether this process still holds the lock it took: another command may have released it by force, or moved the storage root,
 * while this machine slept or could not reach the file system. `CLAIM_LOST` if not.
 */
export function stillHeld({ thread, lock }: ThreadLock): Result<void, Fault> {
  const locks = dirname(lock.path);
  if (!existsSync(locks) || isCopied(lock.record, locks)) {
    return err(fault("CLAIM_LOST", { thread, movedFrom: dirname(locks) }));
  }
  const holder = attempt(() => readLock(lock.path));
  if (!holder.ok) return holder;
  if (holder.value?.nonce === lock.record.nonce) return ok(undefined);
  return err(fault("CLAIM_LOST", { thread, movedFrom: null }));
}

type Advance = {
  readonly thread: ThreadId;
  readonly expected: CasRef;
  readonly next: CasRef;
  /** The claim under which the step worked; without one, no other process may know the thread. */
  readonly claim?: ThreadLock;
};

/**
 * Stage 8: moves the head, only if it has not moved since the step began and only while the claim is held. Takes
 * the index lock, under which `ending` is written too: a step that finishes after a kill finds it here and never
 * revives the thread.
 */
export async function advanceHead(
  storage: Storage,
  { thread, expected, next, claim }: Advance,
): Promise<Result<void, Fault>> {
  const stillOurs = (): Result<void, Fault> => (claim === undefined ? ok(undefined) : stillHeld(claim));
  // Before the lock too, which would make a new root where this one has been.
  const before = stillOurs();
  if (!before.ok) return before;
  return withIndexLock(storage, async () => {
    const held = stillOurs();
    if (!held.ok) return held;
    const ending = readThreadRecord(storage, thread, "ending");
    if (!ending.ok) return ending;
    if (ending.value !== null) return err(fault("THREAD_ENDED", { thread, reason: ending.value.reason }));
    return updateHead(storage, thread, (found) => {
      if (found === null) return endedOrUnknown(storage, thread);
      if (found !== expected) return err(fault("HEAD_MOVED", { thread, expected, found }));
      return ok(next);
    });
  });
}

/**
 * Withdraws a thread that was only just added and has not been reported yet: its line and folder are
 * removed if it still has that head. Takes the index lock.
 */
export function withdrawThread(
  storage: Storage,
  thread: ThreadId,
  head: CasRef,
): Promise<Result<void, Fault>> {
  return withIndexLock(storage, () => withdrawThreadUnderLock(storage, thread, head));
}

/** The same for a caller that holds the index lock. */
export async function withdrawThreadUnderLock(
  storage: Storage,
  thread: ThreadId,
  head: CasRef,
): Promise<Result<void, Fault>> {
  let isTaken = false;
  const taken = await updateHead(storage, thread, (found) => {
    isTaken = found === head;
    return ok(isTaken ? null : found);
  });
  return taken.ok && isTaken ? attempt(() => removeTree(threadRunsPath(storage, thread))) : taken;
}

/** Makes the decision durable. The first one wins: the caller, who holds the index lock, gets the existing one. */
function createEnding(storage: Storage, thread: ThreadId, ending: EndingRecord): Result<EndingRecord, Fault> {
  const created = attempt(() => {
    refuseLink(threadRunsPath(storage, thread));
    makeDir(threadRunsPath(storage, thread));
    return createFileExclusive(threadRecordPath(storage, thread, "ending"), `${JSON.stringify(ending)}\n`);
  });
  if (!created.ok) return created;
  const there = created.value ? ok(ending) : readThreadRecord(storage, thread, "ending");
  return there.ok ? ok(there.value ?? ending) : there;
}

/**
 * Step 1 of an archive: the durable decision, or an earlier one. A head other than the expected one is refused: a
 * step that another process recorded in the meantime must not be archived away. With a damaged history.jsonl nothing is
 * decided: the end could not be recorded. The caller holds the index lock.
 */
export async function decideEnd(
  storage: Storage,
  { thread, head, reason, completedAt }: HistoryLine,
): Promise<Result<EndingRecord, Fault>> {
  const earlier = readThreadRecord(storage, thread, "ending");
  if (!earlier.ok) return earlier;
  if (earlier.value !== null) return ok(earlier.value);
  const at = await readHead(storage, thread);
  if (!at.ok) return at;
  const found = at.value;
  if (found === null) return readEnd(storage, thread);
  if (found !== head) return err(fault("HEAD_MOVED", { thread, expected: head, found }));
  const history = readCheckedHistory(storage, thread);
  return history.ok ? createEnding(storage, thread, { head, reason, completedAt }) : history;
}

/** Reads from the history how a thread ended; `THREAD_NOT_FOUND` without a line of it. */
function readEnd(storage: Storage, thread: ThreadId): Result<HistoryLine, Fault> {
  const line = readThreadHistory(storage, thread);
  if (!line.ok) return line;
  return line.value === null ? notFound(storage, thread) : ok(line.value);
}

/** This root never had the thread, or removed it. A damaged or unreadable history is reported instead. */
export function notFound(storage: Storage, thread: ThreadId): Result<never, Fault> {
  const history = readHistory(storage, thread);
  if (!history.ok) return history;
  const removal = history.value.removed.get(thread);
  const removed = removal && { thread, head: removal.line.head, at: removal.at };
  return err(fault("THREAD_NOT_FOUND", removed === undefined ? { thread } : { thread, removed }));
}

/** `THREAD_ENDED` for a thread that is no longer in threads.yaml, `THREAD_NOT_FOUND` for an unknown one. */
export function endedOrUnknown(storage: Storage, thread: ThreadId): Result<never, Fault> {
  const end = readEnd(storage, thread);
  return end.ok ? err(fault("THREAD_ENDED", { thread, reason: end.value.reason })) : end;
}

/**
 * Decides that the thread ends at its current head. Needs no thread lock, so a kill can decide while a step runs;
 * under the index lock, so a head moves either before the decision or not at all. An earlier decision wins. A head
 * whose workflow cannot be read is refused before anything is written: such an end could not be archived.
 */
export function writeEnding(
  storage: Storage,
  thread: ThreadId,
  { reason }: { readonly reason: HistoryReason },
): Promise<Result<EndingRecord, Fault>> {
  return withIndexLock(storage, () => writeEndingUnderLock(storage, thread, reason));
}

/** The same for a caller that holds the index lock. */
export async function writeEndingUnderLock(
  storage: Storage,
  thread: ThreadId,
  reason: HistoryReason,
): Promise<Result<EndingRecord, Fault>> {
  const earlier = readThreadRecord(storage, thread, "ending");
  if (!earlier.ok) return earlier;
  if (earlier.value !== null) return ok(earlier.value);
  const at = await readHead(storage, thread);
  if (!at.ok) return at;
  if (at.value === null) return endedOrUnknown(storage, thread);
  const workflow = workflowOfHead(storage.cas, at.value);
  if (!workflow.ok) return workflow;
  const history = readCheckedHistory(storage, thread);
  if (!history.ok) return history;
  return createEnding(storage, thread, { head: at.value, reason, completedAt: storage.now() });
}

/** Step 2 of an archive, under the index lock: the thread's line, appended unless it is there. `workflow` saves reading it from the chain. */
export function ensureHistoryLine(
  storage: Storage,
  thread: ThreadId,
  { head, reason, completedAt }: EndingRecord,
  known: CasRef | null,
): Result<HistoryLine, Fault> {
  const there = readCheckedHistory(storage, thread);
  if (!there.ok) return there;
  if (there.value !== null) return ok(there.value);
  const workflow = known === null ? workflowOfHead(storage.cas, head) : ok(known);
  if (!workflow.ok) return workflow;
  const end = { thread, workflow: workflow.value, head, completedAt, reason };
  const line: HistoryLine = isOnRemote(storage, thread) ? { ...end, remote: true } : end;
  const appended = appendHistory(storage, line);
  return appended.ok ? ok(line) : appended;
}

/** Step 3 of an archive, under the index lock: the thread leaves the list of the active ones. */
export async function dropHead(storage: Storage, line: HistoryLine): Promise<Result<HistoryLine, Fault>> {
  const dropped = await updateHead(storage, line.thread, () => ok(null));
  return dropped.ok ? ok(line) : dropped;
}
