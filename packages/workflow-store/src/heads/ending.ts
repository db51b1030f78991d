import { isHash } from "@uncaged/json-cas";
import { createFileExclusive, makeDir, refuseLink } from "@uncaged/json-cas-fs";
import {
  type CasRef,
  type EndingRecord,
  err,
  type Fault,
  fault,
  type HistoryLine,
  type HistoryReason,
  isHistoryReason,
  ok,
  type Result,
  THREAD_ID,
  type ThreadId,
} from "@uncaged/workflow-protocol";
import { appendHistory, indexHistory, readCheckedHistory, readThreadHistory } from "../archive.js";
import { attempt } from "../attempt.js";
import { workflowOfHead } from "../chain.js";
import type { HashMap, HashMapSpec } from "../hand-edited-map.js";
import { readHashMap, readHashMapEntry, setHashMapEntries, updateHashMapEntry } from "../hash-map-file.js";
import { isEpochMs } from "../json.js";
import { withIndexLock } from "../locks.js";
import { isOnRemote } from "../pause.js";
import { type RecordShape, readThreadRecord, threadFilePath, threadRunsPath } from "../runs/index.js";
import type { Storage } from "../storage.js";

/**
 * `runs/<thread>/ending`, which exists from the decision to end a thread until its archive is complete; `null` if
 * there is none.
 */
export function readEnding(storage: Storage, thread: ThreadId): Result<EndingRecord | null, Fault> {
  return readThreadRecord(storage, thread, ENDING);
}

const ENDING: RecordShape<EndingRecord> = {
  name: "ending",
  asRecord: ({ head, reason, completedAt }) =>
    isHash(head) && isHistoryReason(reason) && isEpochMs(completedAt) ? { head, reason, completedAt } : null,
  otherwise: "it is not {head, reason, completedAt}",
};

/** Makes the decision durable. The first one wins: the caller, who holds the index lock, gets the existing one. */
function createEnding(storage: Storage, thread: ThreadId, ending: EndingRecord): Result<EndingRecord, Fault> {
  const created = attempt(() => {
    refuseLink(threadRunsPath(storage, thread));
    makeDir(threadRunsPath(storage, thread));
    return createFileExclusive(endingPath(storage, thread), `${JSON.stringify(ending)}\n`);
  });
  if (!created.ok) return created;
  const there = created.value ? ok(ending) : readEnding(storage, thread);
  return there.ok ? ok(there.value ?? ending) : there;
}

export function endingPath(storage: Storage, thread: ThreadId): string {
  return threadFilePath(storage, thread, ENDING.name);
}

const SPEC: HashMapSpec = { key: THREAD_ID, keyName: "thread id" };

/** threads.yaml as a map: thread id to head, of every thread that is listed as active. */
export function readHeads(storage: Storage): Promise<Result<HashMap, Fault>> {
  return readHashMap(storage.paths.threads, SPEC);
}

/**
 * One thread's line of threads.yaml; `null` if there is none. Whether the thread has ended is decided by
 * `findThread`.
 */
export function readHead(storage: Storage, thread: ThreadId): Promise<Result<CasRef | null, Fault>> {
  return readHashMapEntry(storage.paths.threads, SPEC, thread);
}

/** Sets one line, or removes it with `null`, after checking the current one. The caller holds the index lock. */
export function updateHead(
  storage: Storage,
  thread: ThreadId,
  decide: (head: CasRef | null) => Result<CasRef | null, Fault>,
): Promise<Result<void, Fault>> {
  return updateHashMapEntry(storage.paths.threads, SPEC, thread, decide);
}

/** Sets the lines of many threads in one write. The caller holds the index lock. */
export function setHeads(
  storage: Storage,
  heads: ReadonlyMap<ThreadId, CasRef>,
): Promise<Result<void, Fault>> {
  return setHashMapEntries(storage.paths.threads, SPEC, heads);
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
  const earlier = readEnding(storage, thread);
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
  const history = indexHistory(storage, thread);
  if (!history.ok) return history;
  const removed = history.value.removal(thread);
  return err(fault("THREAD_NOT_FOUND", removed === null ? { thread } : { thread, removed }));
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
  const earlier = readEnding(storage, thread);
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
