import { statSync } from "node:fs";
import { HASH_LENGTH } from "@uncaged/json-cas";
import {
  type CasRef,
  err,
  type Fault,
  fault,
  type HistoryLine,
  isThreadId,
  ok,
  type Result,
  type ThreadId,
} from "@uncaged/workflow-protocol";
import { hasThreadIdPart, isThreadIdPart, parseThreadId, RANDOM_LENGTH } from "@uncaged/workflow-util";
import { type HistoryIndex, indexHistory, readThreadHistory } from "../archive.js";
import { attempt } from "../attempt.js";
import { workflowOfHead } from "../chain.js";
import { folderNames } from "../files.js";
import { notFound, readEnding, readHead, readHeads } from "../heads/index.js";
import type { Storage } from "../storage.js";
import { hasPlace } from "./children.js";
import { type HeadOf, heldAt } from "./hold.js";
import { findLatest, LATEST } from "./latest.js";
import type { EndedThread, ListedThread, StandingThread, ThreadList, ThreadState } from "./types.js";
import { readStuck } from "./unlock.js";

/** The state of a thread that threads.yaml lists, and the history does not. */
function stateOfListed(storage: Storage, thread: ThreadId, head: CasRef): Result<ThreadState, Fault> {
  const ending = endingState(storage, thread);
  return ending.ok ? ok(ending.value ?? { kind: "active", thread, head }) : ending;
}

/** A thread whose archive is recorded. */
function endedBy(line: HistoryLine): EndedThread {
  return { kind: "ended", ...line, pending: false };
}

/** A thread whose archive is not complete yet. */
function endingState(storage: Storage, thread: ThreadId): Result<EndedThread | null, Fault> {
  const ending = readEnding(storage, thread);
  if (!ending.ok || ending.value === null) return ending.ok ? ok(null) : ending;
  const workflow = workflowOfHead(storage.cas, ending.value.head);
  if (!workflow.ok) return workflow;
  return ok({ kind: "ended", thread, workflow: workflow.value, ...ending.value, pending: true });
}

/** A shorter beginning is more likely a typo than meant: what changes a thread does not accept it. */
const SHORTEST_TO_CHANGE = 4;

/**
 * The thread that a person means: by its full id, a unique beginning of it, or a unique end of at least 4 characters,
 * in lower case too; active or ended. With the caller's folder, `latest` is the newest one that was started there.
 */
export function findThread(
  storage: Storage,
  text: string,
  folder: string | null = null,
): Promise<Result<ThreadState, Fault>> {
  return find(storage, text, folder, { shortest: 0, successors: true });
}

/** The same for callers that change the thread: a prefix needs 4 characters too. */
export function findThreadToChange(
  storage: Storage,
  text: string,
  folder: string | null = null,
): Promise<Result<ThreadState, Fault>> {
  return find(storage, text, folder, { shortest: SHORTEST_TO_CHANGE, successors: true });
}

/**
 * The same for callers that end the thread, or remove it: an end that two threads share never means one of them, even
 * if one stands in the place of the other.
 */
export function findThreadToEnd(
  storage: Storage,
  text: string,
  folder: string | null = null,
): Promise<Result<ThreadState, Fault>> {
  return find(storage, text, folder, { shortest: SHORTEST_TO_CHANGE, successors: false });
}

/** What a part of an id may be. */
type Parts = {
  /** Characters at least. */
  readonly shortest: number;
  /** Whether the end of an ended thread's id means the active one that stands in its place. */
  readonly successors: boolean;
};

async function find(
  storage: Storage,
  text: string,
  folder: string | null,
  parts: Parts,
): Promise<Result<ThreadState, Fault>> {
  const thread = await (text === LATEST && folder !== null
    ? latestIn(storage, folder)
    : named(storage, text, parts));
  if (!thread.ok) return thread;
  // In the order in which an archive goes backwards: one that is completed between two of the reads is in the next.
  const head = await readHead(storage, thread.value);
  if (!head.ok) return head;
  const state = head.value === null ? null : stateOfListed(storage, thread.value, head.value);
  const line = readThreadHistory(storage, thread.value);
  if (!line.ok) return line;
  if (line.value !== null) return ok(endedBy(line.value));
  return state ?? notFound(storage, thread.value);
}

async function latestIn(storage: Storage, folder: string): Promise<Result<ThreadId, Fault>> {
  const list = await openThreadList(storage, { all: true });
  return list.ok ? findLatest(storage, list.value, folder) : list;
}

function named(storage: Storage, text: string, parts: Parts): Promise<Result<ThreadId, Fault>> {
  const malformed = isThreadIdPart(text) ? null : parseThreadId(text);
  return malformed !== null && !malformed.ok
    ? Promise.resolve(malformed)
    : theOne(storage, text.toUpperCase(), parts);
}

async function theOne(
  storage: Storage,
  part: string,
  { shortest, successors }: Parts,
): Promise<Result<ThreadId, Fault>> {
  if (isThreadId(part)) return ok(part);
  const heads = await readHeads(storage);
  if (!heads.ok) return heads;
  const history = indexHistory(storage, part);
  if (!history.ok) return history;
  const active = [...heads.value.keys()].filter((id) => hasThreadIdPart(id, part));
  const candidates = [...new Set([...active, ...history.value.ids()])].filter(isThreadId).sort();
  const [only] = candidates;
  if (only === undefined) return explainNone(storage, part, history.value.removedIds());
  if (part.length < shortest) return err(fault("PREFIX_TOO_SHORT", { prefix: part, shortest, candidates }));
  if (candidates.length === 1) return ok(only);
  const standing = successors ? successorAmong(storage, candidates, part, history.value) : ok(null);
  if (!standing.ok) return standing;
  return standing.value === null
    ? err(fault("AMBIGUOUS_PREFIX", { prefix: part, candidates }))
    : ok(standing.value);
}

/**
 * Finds the active thread when all candidates share the id's random part because each replaced the one
 * before. `null`: their random parts differ, the latest has ended too, or an import brought it.
 */
function successorAmong(
  storage: Storage,
  candidates: readonly ThreadId[],
  part: string,
  { has }: HistoryIndex,
): Result<ThreadId | null, Fault> {
  const [random, ...others] = new Set(candidates.map((id) => id.slice(-RANDOM_LENGTH)));
  if (random?.endsWith(part) !== true || others.length > 0) return ok(null);
  const [active, another] = candidates.filter((id) => !has(id));
  if (active === undefined || another !== undefined) return ok(null);
  const placed = hasPlace(storage, active);
  return placed.ok ? ok(placed.value ? active : null) : placed;
}

function explainNone(storage: Storage, part: string, removed: readonly ThreadId[]): Result<never, Fault> {
  const [only, another] = removed;
  if (only !== undefined && another === undefined) return notFound(storage, only);
  // As long as a hash, and no thread matches: most likely a node's hash was given, and the id's parser says so.
  const malformed = part.length === HASH_LENGTH ? parseThreadId(part) : null;
  return malformed?.ok === false ? malformed : err(fault("THREAD_NOT_FOUND", { thread: part }));
}

/**
 * Threads by id: the active ones, with `all` the ended ones too. Heads are not read here, so one damaged thread
 * never hides the others; one whose `ending` is damaged is listed as such, with or without `all`.
 */
export async function listThreads(
  storage: Storage,
  scope: { readonly all: boolean },
): Promise<Result<readonly ListedThread[], Fault>> {
  const list = await openThreadList(storage, scope);
  if (!list.ok) return list;
  const states = list.value.ids.map(list.value.state);
  return ok(states.filter((state) => state !== null));
}

/**
 * The same for callers that need only some: the two files are read and checked, but nothing about a single thread
 * until it is asked for.
 */
export async function openThreadList(
  storage: Storage,
  { all }: { readonly all: boolean },
): Promise<Result<ThreadList, Fault>> {
  const heads = await readHeads(storage);
  if (!heads.ok) return heads;
  const history = growingHistory(storage);
  if (!history.ok) return history;
  const runs = attempt(() => new Set(folderNames(storage.paths.runs)));
  if (!runs.ok) return runs;
  const { known, lineNow } = history.value;
  const active = [...heads.value.keys()].filter(isThreadId).filter((thread) => !known.has(thread));
  // Each part is in order already, or nearly.
  const ids = [...active, ...(all ? known.ids() : [])].sort();
  const headOf: HeadOf = (thread) => heads.value.get(thread) ?? null;
  const state = (thread: ThreadId): ListedThread | null => {
    const line = known.line(thread);
    if (line !== null) return all ? endedBy(line) : null;
    const head = heads.value.get(thread);
    if (head === undefined) return null;
    // Without its own folder it has no `ending`.
    const found = runs.value.has(thread) ? listed(storage, thread, head, headOf) : standing(thread, head);
    if (found.kind !== "active") return all || found.kind !== "ended" ? found : null;
    // Its archive may have been completed since threads.yaml was read, and `ending` be gone again.
    const later = lineNow(thread);
    if (!later.ok) return { kind: "damaged", thread, head, damage: later.error };
    if (later.value === null) return found;
    return all ? endedBy(later.value) : null;
  };
  const everyId = (): Iterable<ThreadId> => [...active, ...known.ids()];
  return ok({ ids, state, ended: known.has, everyId });
}

/** The history as it is, and the line of a thread as it is when it is asked for: read again when the file has grown. */
function growingHistory(
  storage: Storage,
): Result<
  { readonly known: HistoryIndex; readonly lineNow: (thread: ThreadId) => Result<HistoryLine | null, Fault> },
  Fault
> {
  let bytes = readSize(storage.paths.history);
  const known = indexHistory(storage, "");
  if (!known.ok) return known;
  let newest: Result<HistoryIndex, Fault> = known;
  const lineNow = (thread: ThreadId): Result<HistoryLine | null, Fault> => {
    const now = readSize(storage.paths.history);
    if (now !== bytes) {
      bytes = now;
      newest = indexHistory(storage, "");
    }
    return newest.ok ? ok(newest.value.line(thread)) : newest;
  };
  return ok({ known: known.value, lineNow });
}

function readSize(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}

function listed(storage: Storage, thread: ThreadId, head: CasRef, headOf: HeadOf): ListedThread {
  const state = stateOfListed(storage, thread, head);
  if (!state.ok) return { kind: "damaged", thread, head, damage: state.error };
  if (state.value.kind === "ended") return state.value;
  const stuck = readStuck(storage, { thread, head });
  const held = heldAt(storage, { thread, head }, headOf);
  if (!held.ok) return { kind: "damaged", thread, head, damage: held.error };
  // Whether it is stuck is a note beside the thread: if it cannot be read, the thread can still be stepped.
  return { ...standing(thread, head), stuck: stuck.ok ? stuck.value : null, held: held.value };
}

function standing(thread: ThreadId, head: CasRef): StandingThread {
  return { kind: "active", thread, head, stuck: null, held: null };
}
