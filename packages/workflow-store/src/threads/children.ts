import { isHash } from "@uncaged/json-cas";
import {
  type CasRef,
  type ChildLine,
  err,
  type Fault,
  fault,
  isThreadId,
  LIMITS,
  ok,
  type Result,
  type SpendingLimits,
  type ThreadId,
} from "@uncaged/workflow-protocol";
import { keyedThreadId, RANDOM_LENGTH, timeOfThreadId } from "@uncaged/workflow-util";
import { activeHead, addThreadUnderLock, readHead } from "../heads.js";
import { readThreadHistory } from "../history.js";
import { appendLines, readLines, readLinesBeginning } from "../line-file.js";
import { withIndexLock } from "../locks.js";
import { isEpochMs, isFlag, isText, orNull, type RecordShape, shapeOf } from "../record.js";
import type { Storage } from "../storage.js";
import { isOnRemote, writeThreadRecord } from "../thread-records.js";
import { inheritPause } from "./hold.js";

// children.jsonl   a line per thread that another one has started, appended under the index lock before the child's head
//
// Only this line makes a thread the child in a place: a step that starts it again, after any crash, finds it
// by the line, never by an id, which an import may bring. A line whose child does not exist is of a start
// that a crash cut short. A step reads the file only for limits above it.

/** `imported`: an import brought it. It shows who belongs to whom, and no parent takes the child's end for an answer. */
type FamilyLine = ChildLine & { readonly imported: boolean };

/** Who started whom. */
export type Family = {
  readonly lines: readonly FamilyLine[];
  /** In the order in which they were started. */
  readonly childrenOf: (parent: ThreadId) => readonly FamilyLine[];
  /** `null`: no thread has started it. */
  readonly parentOf: (child: ThreadId) => FamilyLine | null;
};

/** A missing file is an empty one; an unterminated last line that is no whole record is a torn write, and skipped. */
export function readFamily({ paths }: Storage): Result<Family, Fault> {
  const lines = readLines(paths.children, FAMILY);
  return lines.ok ? ok(familyOf(lines.value)) : lines;
}

function familyOf(lines: readonly FamilyLine[]): Family {
  const byChild = new Map<ThreadId, FamilyLine>();
  for (const line of lines) {
    const there = byChild.get(line.child);
    if (there === undefined || (there.imported && !line.imported)) byChild.set(line.child, line);
  }
  const byParent = new Map<ThreadId, FamilyLine[]>();
  for (const line of byChild.values()) {
    const siblings = byParent.get(line.parent) ?? [];
    siblings.push(line);
    byParent.set(line.parent, siblings);
  }
  return {
    lines: [...byChild.values()],
    childrenOf: (parent) => byParent.get(parent) ?? [],
    parentOf: (child) => byChild.get(child) ?? null,
  };
}

export const CHILD = shapeOf<ChildLine>({
  ...{ child: isThreadId, parent: isThreadId, head: isHash, role: isText },
  ...{ item: orNull(isEpochMs), at: isEpochMs },
});

const FAMILY: RecordShape<FamilyLine> = {
  read: (record) => {
    const line = CHILD.read(record);
    return line === null ? null : Object.assign(line, { imported: record.imported === true });
  },
  otherwise: CHILD.otherwise,
};

/** Every thread below another one, nearest first; each once, whatever the file says. */
export function descendantsOf(family: Family, thread: ThreadId): readonly ThreadId[] {
  const found = new Set<ThreadId>([thread]);
  // Walked while it grows.
  for (const each of found) for (const { child } of family.childrenOf(each)) found.add(child);
  found.delete(thread);
  return [...found];
}

/**
 * The threads above this one, nearest first. Found without reading the lines of others: a step asks this, in a store that
 * may have many children.
 */
export function readParents(storage: Storage, thread: ThreadId): Result<readonly ThreadId[], Fault> {
  const lineOf = openFamily(storage);
  if (!lineOf.ok) return lineOf;
  const found = new Set<ThreadId>([thread]);
  // Walked while it grows.
  for (const each of found) {
    const line = lineOf.value(each);
    if (!line.ok) return line;
    if (line.value !== null) found.add(line.value.parent);
  }
  found.delete(thread);
  return ok([...found]);
}

/** Whether this root gave the thread its key or place: by an id alone, any import could claim one. */
export function hasPlace(storage: Storage, thread: ThreadId): Result<boolean, Fault> {
  const key = readKeyLine(storage, thread);
  if (!key.ok || key.value !== null) return key.ok ? ok(true) : key;
  const lineOf = openFamily(storage);
  const line = lineOf.ok ? lineOf.value(thread) : lineOf;
  return line.ok ? ok(line.value?.imported === false) : line;
}

type LineOf = (child: ThreadId) => Result<FamilyLine | null, Fault>;

/** Finds a thread's line, that of this root if there is one too, as `appendChildren` writes it. */
function openFamily({ paths }: Storage): Result<LineOf, Fault> {
  const family = readLinesBeginning(paths.children, FAMILY);
  if (!family.ok) return family;
  return ok((child) => {
    const lines = family.value(`{"child":"${child}",`);
    return lines.ok ? ok(lines.value.find(({ imported }) => !imported) ?? lines.value[0] ?? null) : lines;
  });
}

/** How many threads are above this one. */
function depthOf(family: Family, thread: ThreadId): number {
  const above = new Set<ThreadId>([thread]);
  for (
    let at = family.parentOf(thread);
    at !== null && !above.has(at.parent);
    at = family.parentOf(at.parent)
  )
    above.add(at.parent);
  return above.size - 1;
}

/** For which parent a thread is started. */
export type ChildOf = Omit<ChildLine, "child" | "at">;

type KeyedThread = {
  readonly key: string;
  /** `null`: a thread of its own. */
  readonly of: ChildOf | null;
  /** What it may spend; `null`: no limits were given. */
  readonly limits: SpendingLimits | null;
  /** Its StartNode. */
  readonly start: CasRef;
  readonly folder: string;
  readonly maxDepth: number;
};

type Added = { readonly thread: ThreadId; readonly existing: boolean };

/**
 * The thread of a key: the one that has it, active or ended, or a new one. For a child its parent stands where it stood
 * (`HEAD_MOVED`), has not ended (`THREAD_ENDED`) and is not too deep (`TOO_DEEP`). Takes the index lock.
 */
export function addKeyedThread(storage: Storage, keyed: KeyedThread): Promise<Result<Added, Fault>> {
  const { key, of, start, folder, limits } = keyed;
  // At a remote every root has to give the child the same id, whenever it comes to start it.
  const time = of !== null && isOnRemote(storage, of.parent) ? timeOfThreadId(of.parent) : storage.now();
  const fresh = keyedThreadId(time, randomOf(of?.parent ?? null, key));
  return withIndexLock(storage, async (): Promise<Result<Added, Fault>> => {
    const family = of === null ? ok(familyOf([])) : await fitFamily(storage, of);
    if (!family.ok) return family;
    const placed = of === null ? threadsOfKey(storage, fresh) : ok(inPlace(family.value, of));
    if (!placed.ok) return placed;
    const known = await newestKnown(storage, placed.value);
    if (!known.ok) return known;
    if (known.value !== null) return ok({ thread: known.value, existing: true });
    // A start that a crash cut short has left its line.
    const begun = of === null ? undefined : placed.value[0];
    const thread = begun ?? fresh;
    if (of !== null && begun === undefined) {
      const deep = depthOf(family.value, of.parent) >= keyed.maxDepth;
      if (deep) return err(fault("TOO_DEEP", { parent: of.parent, limit: keyed.maxDepth }));
    }
    const line = { child: thread, at: storage.now() };
    const linked =
      of === null
        ? appendKey(storage, thread, true)
        : begun === undefined
          ? appendChild(storage, { ...line, ...of })
          : ok(undefined);
    if (!linked.ok) return linked;
    const paused = of === null ? ok(undefined) : inheritPause(storage, { from: of.parent, to: thread });
    if (!paused.ok) return paused;
    const kept = limits === null ? ok(undefined) : writeThreadRecord(storage, thread, "limits", limits);
    if (!kept.ok) return kept;
    const added = await addThreadUnderLock(storage, thread, start, folder);
    return added.ok ? ok({ thread, existing: false }) : added;
  });
}

/** The id of a child in its place: `nowMs` is when it is started. */
export function childIdOf({ parent, head, role, item }: ChildOf, nowMs: number): ThreadId {
  const key = item === null ? `${head}/${role}` : `${head}/${role}/${item}`;
  return keyedThreadId(nowMs, randomOf(parent, key));
}

/** The thread that a key without a parent has, active or ended; `null`: it has none yet. */
export async function findKeyedThread(
  storage: Storage,
  key: string,
): Promise<Result<ThreadId | null, Fault>> {
  const placed = threadsOfKey(storage, keyedThreadId(0, randomOf(null, key)));
  return placed.ok ? newestKnown(storage, placed.value) : placed;
}

/** The last 80 bits of an id, as 10 bytes. */
function randomOf(parent: ThreadId | null, key: string): Uint8Array {
  // Loaded here: a step, which needs no key, starts 4 ms earlier on Node.js without it.
  return process
    .getBuiltinModule("node:crypto")
    .createHash("sha256")
    .update(JSON.stringify([parent, key]))
    .digest()
    .subarray(0, 10);
}

/** Whom this root has started there, in this order: a fork may have taken the place of an older one. */
function inPlace(family: Family, { parent, head, role, item }: ChildOf): readonly ThreadId[] {
  return family
    .childrenOf(parent)
    .filter((line) => !line.imported && line.head === head && line.role === role && line.item === item)
    .map(({ child }) => child);
}

/** A parent that may start a child, and who started whom so far. */
async function fitFamily(storage: Storage, { parent, head }: ChildOf): Promise<Result<Family, Fault>> {
  const found = await activeHead(storage, parent);
  if (!found.ok) return found;
  if (found.value !== head)
    return err(fault("HEAD_MOVED", { thread: parent, expected: head, found: found.value }));
  return readFamily(storage);
}

/** The newest of them that is a thread, active or ended. */
async function newestKnown(
  storage: Storage,
  threads: readonly ThreadId[],
): Promise<Result<ThreadId | null, Fault>> {
  for (const thread of [...threads].sort().reverse()) {
    const head = await readHead(storage, thread);
    if (!head.ok) return head;
    const line = head.value === null ? readThreadHistory(storage, thread) : ok(null);
    if (!line.ok) return line;
    if (head.value !== null || line.value !== null) return ok(thread);
  }
  return ok(null);
}

/**
 * A thread that came with its parent from another store. Below too many others it stands by itself, unless the line is this
 * root's own. The caller holds the index lock.
 */
export function linkChild(storage: Storage, line: FamilyLine): Result<void, Fault> {
  const family = readFamily(storage);
  if (!family.ok) return family;
  const isDeep = line.imported && depthOf(family.value, line.parent) >= LIMITS.importedDepth;
  return !isDeep && isNews(family.value, line) ? appendChildren(storage, [line]) : ok(undefined);
}

/** Whether it says more than what is there. */
export function isNews(family: Family, { child, imported }: FamilyLine): boolean {
  const there = family.parentOf(child);
  return there === null || (there.imported && !imported);
}

/** A child that this root starts, or puts in another one's place. The caller holds the index lock. */
export function appendChild(storage: Storage, line: ChildLine): Result<void, Fault> {
  return appendChildren(storage, [{ ...line, imported: false }]);
}

/** Begins each line as `openFamily` looks for it. The caller holds the index lock. */
export function appendChildren({ paths }: Storage, lines: readonly FamilyLine[]): Result<void, Fault> {
  const written = lines.map(({ child, parent, head, role, item, at, imported }) => ({
    ...{ child, parent, head, role, item, at },
    ...(imported ? { imported } : {}),
  }));
  return appendLines(paths.children, FAMILY, written as readonly FamilyLine[]);
}

// keys.jsonl   a line per thread that this root started by a key, or put in another one's place; under the index lock,
//              before the thread's head
//
// The end of such a thread's id follows from its key, or is that of the other one. An id proves nothing by itself: an
// import brings threads with any.

/** `keyed`: a key finds it. */
type KeyLine = { readonly thread: ThreadId; readonly keyed: boolean; readonly at: number };

const KEY = shapeOf<KeyLine>({ thread: isThreadId, keyed: isFlag, at: isEpochMs });

/** Those that have the key of which this id is made. Some may be no threads any more, or not yet. */
function threadsOfKey({ paths }: Storage, id: ThreadId): Result<readonly ThreadId[], Fault> {
  const lines = readLines(paths.keys, KEY);
  if (!lines.ok) return lines;
  const random = id.slice(-RANDOM_LENGTH);
  return ok(lines.value.flatMap(({ thread, keyed }) => (keyed && thread.endsWith(random) ? [thread] : [])));
}

/** The newest line that this root has written about the thread; `null`: it has none. */
export function readKeyLine({ paths }: Storage, thread: ThreadId): Result<KeyLine | null, Fault> {
  const lines = readLines(paths.keys, KEY);
  return lines.ok ? ok(lines.value.findLast((line) => line.thread === thread) ?? null) : lines;
}

/** The caller holds the index lock. */
export function appendKey(storage: Storage, thread: ThreadId, keyed: boolean): Result<void, Fault> {
  return appendLines(storage.paths.keys, KEY, [{ thread, keyed, at: storage.now() }]);
}
