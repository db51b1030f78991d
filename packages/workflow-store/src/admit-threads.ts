import { type CasNode, type Hash, isHash, isObject, type JsonObject, type Store } from "@uncaged/json-cas";
import {
  type CasRef,
  type ChildLine,
  err,
  type Fault,
  type HistoryReason,
  isHistoryReason,
  isThreadId,
  messageOf,
  ok,
  type Result,
  ROLE_NAME,
  type ThreadId,
} from "@uncaged/workflow-protocol";
import { RANDOM_LENGTH } from "@uncaged/workflow-util";
import { readChain } from "./chain.js";
import { readHeads, setHeads } from "./heads.js";
import { appendHistory, appendRemoved, readHistory, readRemovals, readThreadHistory } from "./history.js";
import { withIndexLock } from "./locks.js";
import { isEpochMs, shapeOf } from "./record.js";
import type { Storage } from "./storage.js";
import { appendKey, CHILD, findThread, hasPlace, linkChild, type ThreadState } from "./threads/index.js";

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

/** Validates a thread in an export, whose nodes `get` returns; the error says what is wrong with it. */
export function asThreadEntry(
  entry: JsonObject,
  get: (hash: Hash) => CasNode | null,
): Result<ThreadEntry, string> {
  const { thread, head, ended = null, parent = null } = entry;
  if (!isThreadId(thread)) return err("it names no thread");
  if (!isHash(head)) return err(`thread ${thread} has no head`);
  const end = isObject(ended) ? END.read(ended) : null;
  if (ended !== null && end === null) return err(`thread ${thread} has no proper end`);
  const chain = readChain(readerAsStore(get), head);
  if (!chain.ok) return err(`thread ${thread}: ${messageOf(chain.error)}`);
  if (end !== null && end.workflow !== chain.value.workflow.hash) {
    return err(`thread ${thread} ended with the workflow ${end.workflow}, its chain has another one`);
  }
  const line = isObject(parent) ? CHILD.read(parent) : null;
  // The line comes into a file that every step reads, and that has a limit: no text in it is of any length.
  const isProper = line?.child === thread && ROLE_NAME.test(line.role);
  if (parent !== null && !isProper) return err(`thread ${thread} names no proper parent`);
  return ok({ thread, head, ended: end, parent: line });
}

const END = shapeOf<NonNullable<ThreadEntry["ended"]>>({
  workflow: isHash,
  reason: isHistoryReason,
  completedAt: isEpochMs,
});

/** A store for readers of a chain, which only ask for nodes. */
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
type ImportScope = {
  /** A person says that these are the root's own threads: keys and parents find them as before. */
  readonly restore: boolean;
  readonly threads: ReadonlySet<ThreadId>;
  /** Those that were added before. */
  readonly added: ReadonlySet<ThreadId>;
};

/** Threads that are taken under one lock: few enough that no step waits long for it, many enough that a file of all heads is seldom written. */
const AT_ONCE = 100;

/**
 * Adds threads whose nodes are in the store, in their order. Takes the index lock: a second import of the same thread
 * finds it there. Those before the first failure are there.
 */
export async function admitThreads(
  storage: Storage,
  entries: readonly ThreadEntry[],
  scope: ImportScope,
): Promise<Result<readonly TakenThread[], Fault>> {
  const added = new Set(scope.added);
  const taken: TakenThread[] = [];
  for (let at = 0; at < entries.length; at += AT_ONCE) {
    const some = entries.slice(at, at + AT_ONCE);
    const done = await withIndexLock(storage, () => admitSome(storage, some, { ...scope, added }, taken));
    if (!done.ok) return done;
  }
  return ok(taken);
}

/** What is known under the lock, and what is still to be written. */
type Taking = ImportScope & {
  readonly added: Set<ThreadId>;
  readonly heads: ReadonlyMap<string, CasRef>;
  readonly newHeads: Map<ThreadId, CasRef>;
};

/**
 * Links come before the heads: a crash in between leaves links of unknown threads, which the next import finds as it would
 * find a start that was cut short.
 */
async function admitSome(
  storage: Storage,
  entries: readonly ThreadEntry[],
  scope: ImportScope & { readonly added: Set<ThreadId> },
  taken: TakenThread[],
): Promise<Result<void, Fault>> {
  const heads = await readHeads(storage);
  if (!heads.ok) return heads;
  const taking: Taking = { ...scope, heads: heads.value, newHeads: new Map() };
  let failure: Result<never, Fault> | null = null;
  for (const entry of entries) {
    const one = await admitOne(storage, entry, taking);
    if (!one.ok) {
      failure = one;
      break;
    }
    if (one.value.outcome === "added") taking.added.add(one.value.thread);
    taken.push(one.value);
  }
  const written = await setHeads(storage, taking.newHeads);
  return failure ?? written;
}

async function admitOne(
  storage: Storage,
  entry: ThreadEntry,
  taking: Taking,
): Promise<Result<TakenThread, Fault>> {
  const { thread, head } = entry;
  const there = await stateOf(storage, thread, taking);
  if (!there.ok) return there;
  if (there.value !== null) {
    const outcome = compare(storage, there.value, head);
    const linked = taking.restore && outcome === "unchanged" ? link(storage, entry, taking) : ok(undefined);
    return linked.ok ? ok({ thread, head: there.value.head, imported: head, outcome }) : linked;
  }
  const collides = taking.restore ? ok(false) : isTaken(storage, thread, taking);
  if (!collides.ok) return collides;
  if (collides.value) return ok({ thread, head: null, imported: head, outcome: "collides" });
  const added = add(storage, entry, taking);
  return added.ok ? ok({ thread, head, imported: head, outcome: "added" }) : added;
}

/** `null`: it is not there. Most threads of an import are in none of the two files, and their heads are not read again. */
async function stateOf(
  storage: Storage,
  thread: ThreadId,
  { heads }: Taking,
): Promise<Result<ThreadState | null, Fault>> {
  if (!heads.has(thread)) {
    const line = readThreadHistory(storage, thread);
    if (!line.ok || line.value === null) return line.ok ? ok(null) : line;
  }
  const there = await findThread(storage, thread);
  return there.ok || there.error.code !== "THREAD_NOT_FOUND" ? there : ok(null);
}

/** Whether this root has given the id away, also where the start was cut short, or has a thread with the same end of it. */
function isTaken(storage: Storage, thread: ThreadId, taking: Taking): Result<boolean, Fault> {
  const placed = hasPlace(storage, thread);
  return placed.ok && !placed.value ? hasTwin(storage, thread, taking) : placed;
}

/** Whether a thread that the export does not have, or one that was removed here, has the same end of its id. */
function hasTwin(
  storage: Storage,
  thread: ThreadId,
  { threads, heads, newHeads }: Taking,
): Result<boolean, Fault> {
  const random = thread.slice(-RANDOM_LENGTH);
  const history = readHistory(storage, random);
  if (!history.ok) return history;
  const { ended, removed } = history.value;
  for (const id of removed.keys()) if (id.endsWith(random)) return ok(true);
  for (const ids of [heads, newHeads, ended])
    for (const id of ids.keys()) if (id.endsWith(random) && !threads.has(id as ThreadId)) return ok(true);
  return ok(false);
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

function add(storage: Storage, entry: ThreadEntry, taking: Taking): Result<void, Fault> {
  const { thread, head, ended } = entry;
  const linked = link(storage, entry, taking);
  if (!linked.ok) return linked;
  if (ended === null) {
    taking.newHeads.set(thread, head);
    return ok(undefined);
  }
  const line = { thread, head, ...ended };
  const removals = readRemovals(storage);
  if (!removals.ok) return removals;
  // The history has the line of an end that was removed.
  return removals.value(line) === null ? appendHistory(storage, line) : appendRemoved(storage, [line], null);
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
