import { isHash } from "@uncaged/json-cas";
import {
  type CasRef,
  type ChildLine,
  err,
  type Fault,
  fault,
  ok,
  type Result,
  type SpendingLimits,
  type ThreadId,
} from "@uncaged/workflow-protocol";
import { hasThreadIdPart, keyedThreadId, RANDOM_LENGTH, timeOfThreadId } from "@uncaged/workflow-util";
import { indexHistory } from "../archive.js";
import { readBytes } from "../files.js";
import { addThreadUnderLock, endedOrUnknown, readEnding, readHead, readHeads } from "../heads/index.js";
import { isThreadId } from "../ids.js";
import { isEpochMs, parseRecord } from "../json.js";
import { appendLines, type LineShape, readLines } from "../line-file.js";
import { withIndexLock } from "../locks.js";
import type { Storage } from "../storage.js";
import { inheritPause, isOnRemote } from "./hold.js";
import { keepLimits } from "./limits.js";

// children.jsonl   a line per thread that another one has started, appended under the index lock before the child's head
//
// A child's id follows from its parent, the parent's head, the role and the item: whoever starts it again, after any
// crash, finds the first. A line whose child is no thread is of a start that a crash cut short. A step reads the file only for limits above it.

/** Who started whom. */
export type Family = {
  readonly lines: readonly ChildLine[];
  /** In the order in which they were started. */
  readonly childrenOf: (parent: ThreadId) => readonly ChildLine[];
  /** `null`: no thread has started it. */
  readonly parentOf: (child: ThreadId) => ChildLine | null;
};

/** Some 400,000 children. */
const LARGEST = 64 * 1024 * 1024;

/** A missing file is an empty one; an unterminated last line that is no whole record is a torn write, and skipped. */
export function readFamily({ paths }: Storage): Result<Family, Fault> {
  const lines = readLines(paths.children, SHAPE);
  return lines.ok ? ok(familyOf(lines.value)) : lines;
}

function familyOf(lines: readonly ChildLine[]): Family {
  const byChild = new Map<ThreadId, ChildLine>();
  const byParent = new Map<ThreadId, ChildLine[]>();
  for (const line of lines) {
    if (byChild.has(line.child)) continue;
    byChild.set(line.child, line);
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

export function asChildLine(record: Readonly<Record<string, unknown>>): ChildLine | null {
  const { child, parent, head, role, item, at } = record;
  const isKnown =
    isThreadId(child) &&
    isThreadId(parent) &&
    isHash(head) &&
    typeof role === "string" &&
    (item === null || isEpochMs(item)) &&
    isEpochMs(at);
  return isKnown ? { child, parent, head, role, item, at } : null;
}

const SHAPE: LineShape<ChildLine> = {
  asLine: asChildLine,
  fields: "{child, parent, head, role, item, at}",
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
export function parentsOf({ paths }: Storage, thread: ThreadId): Result<readonly ThreadId[], Fault> {
  const bytes = readBytes(paths.children, LARGEST);
  if (!bytes.ok || bytes.value === null) return bytes.ok ? ok([]) : bytes;
  const found = new Set<ThreadId>([thread]);
  // Walked while it grows.
  for (const each of found) {
    const at = bytes.value.indexOf(`{"child":"${each}",`);
    const text = at === -1 ? "" : bytes.value.toString("utf8", at, bytes.value.indexOf("\n", at));
    const line = asChildLine(parseRecord(text) ?? {});
    if (line !== null) found.add(line.parent);
  }
  found.delete(thread);
  return ok([...found]);
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
  /** What it may spend; `null`: nobody has said so. */
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
    const known = await withRandom(storage, fresh.slice(-RANDOM_LENGTH));
    if (!known.ok) return known;
    if (known.value !== null) return ok({ thread: known.value, existing: true });
    // A start that a crash cut short has left its line.
    const begun = of === null ? undefined : family.value.childrenOf(of.parent).find(isThe(of));
    const thread = begun?.child ?? fresh;
    if (of !== null && begun === undefined) {
      const deep = depthOf(family.value, of.parent) >= keyed.maxDepth;
      if (deep) return err(fault("TOO_DEEP", { parent: of.parent, limit: keyed.maxDepth }));
      const linked = appendChild(storage, { child: thread, ...of, at: storage.now() });
      if (!linked.ok) return linked;
    }
    const paused = of === null ? ok(undefined) : inheritPause(storage, { from: of.parent, to: thread });
    if (!paused.ok) return paused;
    const kept = limits === null ? ok(undefined) : keepLimits(storage, thread, limits);
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
export function findKeyedThread(storage: Storage, key: string): Promise<Result<ThreadId | null, Fault>> {
  return withRandom(storage, keyedThreadId(0, randomOf(null, key)).slice(-RANDOM_LENGTH));
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

function isThe({ head, role, item }: ChildOf): (line: ChildLine) => boolean {
  return (line) => line.head === head && line.role === role && line.item === item;
}

/** A parent that may start a child, and who started whom so far. */
async function fitFamily(storage: Storage, { parent, head }: ChildOf): Promise<Result<Family, Fault>> {
  const ending = readEnding(storage, parent);
  if (!ending.ok) return ending;
  if (ending.value !== null)
    return err(fault("THREAD_ENDED", { thread: parent, reason: ending.value.reason }));
  const found = await readHead(storage, parent);
  if (!found.ok) return found;
  if (found.value === null) return endedOrUnknown(storage, parent);
  if (found.value !== head)
    return err(fault("HEAD_MOVED", { thread: parent, expected: head, found: found.value }));
  return readFamily(storage);
}

/** The newest thread whose id ends so, active or ended: a fork may have taken the place of an older one. */
async function withRandom(storage: Storage, random: string): Promise<Result<ThreadId | null, Fault>> {
  const heads = await readHeads(storage);
  if (!heads.ok) return heads;
  const active = [...heads.value.keys()].filter(isThreadId).filter((id) => hasThreadIdPart(id, random));
  const history = indexHistory(storage, random);
  if (!history.ok) return history;
  return ok([...active, ...history.value.ids()].sort().at(-1) ?? null);
}

/** A thread that came with its parent from another store. The caller holds the index lock. */
export function linkChild(storage: Storage, line: ChildLine): Result<void, Fault> {
  const family = readFamily(storage);
  if (!family.ok) return family;
  return family.value.parentOf(line.child) === null ? appendChild(storage, line) : ok(undefined);
}

/** Threads of a remote, whose heads come afterwards. Takes the index lock. */
export function linkChildren(storage: Storage, lines: readonly ChildLine[]): Promise<Result<void, Fault>> {
  return withIndexLock(storage, async () => {
    const family = readFamily(storage);
    if (!family.ok) return family;
    const fresh = lines.filter(({ child }) => family.value.parentOf(child) === null);
    return fresh.length === 0
      ? ok(undefined)
      : appendLines(storage.paths.children, SHAPE, fresh.map(asWritten));
  });
}

/** In the order in which `parentsOf` looks for them. */
function asWritten({ child, parent, head, role, item, at }: ChildLine): ChildLine {
  return { child, parent, head, role, item, at };
}

/** The caller holds the index lock. */
export function appendChild({ paths }: Storage, line: ChildLine): Result<void, Fault> {
  return appendLines(paths.children, SHAPE, [asWritten(line)]);
}
