import { type CasNode, type Hash, isHash, isObject, type JsonObject, type Store } from "@uncaged/json-cas";
import {
  type CasRef,
  type ChildLine,
  err,
  type Fault,
  type HistoryReason,
  isHistoryReason,
  messageOf,
  ok,
  type Result,
  ROLE_NAME,
  type ThreadId,
} from "@uncaged/workflow-protocol";
import { RANDOM_LENGTH } from "@uncaged/workflow-util";
import { appendHistory, indexHistory } from "../archive.js";
import { readChain } from "../chain.js";
import { readHeads, updateHead } from "../heads/index.js";
import { isThreadId } from "../ids.js";
import { isEpochMs } from "../json.js";
import { withIndexLock } from "../locks.js";
import { appendRemoved, readRemoved } from "../removed.js";
import type { Storage } from "../storage.js";
import {
  appendKey,
  asChildLine,
  findThread,
  hasPlace,
  linkChild,
  type ThreadState,
} from "../threads/index.js";

/** A thread as an export carries it. */
export type ThreadEntry = {
  readonly thread: ThreadId;
  readonly head: CasRef;
  /** `null` while it is active. */
  readonly ended: {
    readonly workflow: CasRef;
    readonly reason: HistoryReason;
    readonly completedAt: number;
  } | null;
  /** Who has started it, if that thread is in the export too. */
  readonly parent: ChildLine | null;
};

export function threadEntry(state: ThreadState, parent: ChildLine | null): ThreadEntry {
  const { thread, head } = state;
  if (state.kind === "active") return { thread, head, ended: null, parent };
  const { workflow, reason, completedAt } = state;
  return { thread, head, ended: { workflow, reason, completedAt }, parent };
}

/** As an export has it. */
export function entryOutput({ thread, head, ended, parent }: ThreadEntry): JsonObject {
  return { thread, head, ended, ...(parent === null ? {} : { parent }) };
}

/** Validates a thread in an export, whose nodes `get` returns; the error says what is wrong with it. */
export function asThreadEntry(
  entry: JsonObject,
  get: (hash: Hash) => CasNode | null,
): Result<ThreadEntry, string> {
  const { thread, head, ended = null, parent = null } = entry;
  if (!isThreadId(thread)) return err("it names no thread");
  if (!isHash(head)) return err(`thread ${thread} has no head`);
  const end = ended === null ? null : asEnd(ended);
  if (end === undefined) return err(`thread ${thread} has no proper end`);
  const chain = readChain(readerAsStore(get), head);
  if (!chain.ok) return err(`thread ${thread}: ${messageOf(chain.error)}`);
  if (end !== null && end.workflow !== chain.value.workflow.hash) {
    return err(`thread ${thread} ended with the workflow ${end.workflow}, its chain has another one`);
  }
  const line = isObject(parent) ? asChildLine(parent) : null;
  // The line comes into a file that every step reads, and that has a limit: no text in it is of any length.
  const isProper = line?.child === thread && ROLE_NAME.test(line.role);
  if (parent !== null && !isProper) return err(`thread ${thread} names no proper parent`);
  return ok({ thread, head, ended: end, parent: line });
}

function asEnd(value: JsonObject[string]): ThreadEntry["ended"] | undefined {
  if (typeof value !== "object" || value === null || !("workflow" in value)) return undefined;
  const { workflow, reason, completedAt } = value;
  if (!isHash(workflow) || !isHistoryReason(reason) || !isEpochMs(completedAt)) return undefined;
  return { workflow, reason, completedAt };
}

/** What reads a chain asks for nodes only. */
function readerAsStore(get: (hash: Hash) => CasNode | null): Store {
  return {
    get,
    has: (hash) => get(hash) !== null,
    list: () => [],
    listByType: () => [],
    put: () => Promise.reject(new Error("an export is only read")),
  };
}

/**
 * `unchanged`: the thread is already there, at this head or beyond it. `behind`: it is active here and the
 * imported head is ahead: it is not changed, and a fork of the imported head continues from there. `different`: it
 * took another path here and is not changed. `collides`: it is not there, since another one has the same end of its id,
 * as threads of one key or place have, or since it was removed here: logs still name its sessions.
 */
export type TakenThread = {
  readonly thread: ThreadId;
  /** Its head here; `null`: it is not here. */
  readonly head: CasRef | null;
  /** Its head in the export. */
  readonly imported: CasRef;
  readonly outcome: "added" | "unchanged" | "behind" | "different" | "collides";
};

/** An export that is being imported. */
export type ImportScope = {
  /** A person says that these are the root's own threads: keys and parents find them as before. */
  readonly restore: boolean;
  readonly threads: ReadonlySet<ThreadId>;
  /** Those that were added so far. */
  readonly added: ReadonlySet<ThreadId>;
};

/**
 * Adds a thread whose nodes are in the store. Takes the index lock: a second import of the same thread finds it
 * there.
 */
export function takeThread(
  storage: Storage,
  entry: ThreadEntry,
  scope: ImportScope,
): Promise<Result<TakenThread, Fault>> {
  const { thread, head } = entry;
  return withIndexLock<TakenThread>(storage, async () => {
    const there = await findThread(storage, thread);
    if (there.ok) {
      const outcome = compare(storage, there.value, head);
      const linked = scope.restore && outcome === "unchanged" ? link(storage, entry, scope) : ok(undefined);
      return linked.ok ? ok({ thread, head: there.value.head, imported: head, outcome }) : linked;
    }
    if (there.error.code !== "THREAD_NOT_FOUND") return there;
    const collides = scope.restore ? ok(false) : await isTaken(storage, thread, scope);
    if (!collides.ok) return collides;
    if (collides.value) return ok({ thread, head: null, imported: head, outcome: "collides" });
    const added = await add(storage, entry, scope);
    return added.ok ? ok({ thread, head, imported: head, outcome: "added" }) : added;
  });
}

/** Whether this root has given the id away, also where the start was cut short, or has a thread with the same end of it. */
async function isTaken(
  storage: Storage,
  thread: ThreadId,
  scope: ImportScope,
): Promise<Result<boolean, Fault>> {
  const placed = hasPlace(storage, thread);
  return placed.ok && !placed.value ? hasTwin(storage, thread, scope) : placed;
}

/** Whether a thread that the export does not have, or one that was removed here, has the same end of its id. */
async function hasTwin(
  storage: Storage,
  thread: ThreadId,
  { threads }: ImportScope,
): Promise<Result<boolean, Fault>> {
  const random = thread.slice(-RANDOM_LENGTH);
  const heads = await readHeads(storage);
  if (!heads.ok) return heads;
  const history = indexHistory(storage, random);
  if (!history.ok) return history;
  const isTwin = (id: string): boolean => id.endsWith(random) && !threads.has(id as ThreadId);
  const isRemoved = history.value.removedIds().some((id) => id.endsWith(random));
  return ok(isRemoved || [...heads.value.keys(), ...history.value.ids()].some(isTwin));
}

/**
 * Who has started it, as far as the export may say that: of a thread that came with it. Only a restored line makes it the
 * child that its parent, or the thread that a key, finds again.
 */
function link(
  storage: Storage,
  { thread, parent }: ThreadEntry,
  { restore, added }: ImportScope,
): Result<void, Fault> {
  if (parent === null) return restore ? appendKey(storage, thread, true) : ok(undefined);
  return restore || added.has(parent.parent)
    ? linkChild(storage, { ...parent, imported: !restore })
    : ok(undefined);
}

async function add(storage: Storage, entry: ThreadEntry, scope: ImportScope): Promise<Result<void, Fault>> {
  const { thread, head, ended } = entry;
  const linked = link(storage, entry, scope);
  if (!linked.ok) return linked;
  if (ended === null) return updateHead(storage, thread, () => ok(head));
  const line = { thread, head, ...ended };
  const removed = readRemoved(storage);
  if (!removed.ok) return removed;
  // The history has the line of an end that was removed.
  return removed.value.at(line) === null
    ? appendHistory(storage, line)
    : appendRemoved(storage, [line], null);
}

function compare(storage: Storage, { kind, head: here }: ThreadState, imported: CasRef) {
  if (isPassed(storage, here, imported)) return "unchanged";
  return kind === "active" && isPassed(storage, imported, here) ? "behind" : "different";
}

/** Whether the history of a head goes through a node. */
function isPassed(storage: Storage, head: CasRef, node: CasRef): boolean {
  if (head === node) return true;
  const chain = readChain(storage.cas, head);
  if (!chain.ok) return false;
  return chain.value.start.hash === node || chain.value.steps.some(({ hash }) => hash === node);
}
