import { statSync } from "node:fs";
import { HASH_LENGTH } from "@uncaged/json-cas";
import {
  type CasRef,
  err,
  eventText,
  type Fault,
  fault,
  type HistoryLine,
  isThreadId,
  ok,
  type Result,
  readEvent,
  type ThreadId,
} from "@uncaged/workflow-protocol";
import { hasThreadIdPart, isThreadIdPart, parseThreadId, RANDOM_LENGTH } from "@uncaged/workflow-util";
import { attempt } from "../attempt.js";
import { workflowOfHead } from "../chain.js";
import { projectFolders } from "../documents/index.js";
import { folderNames } from "../files.js";
import { notFound, readHead, readHeads } from "../heads.js";
import { type History, readHistory, readThreadHistory } from "../history.js";
import { logDays, recentEntries } from "../logs.js";
import type { Storage } from "../storage.js";
import { readStuck, readThreadRecord, readWorkFolder } from "../thread-records.js";
import { hasPlace, readFamily } from "./children.js";
import { type HeadOf, heldAt } from "./hold.js";
import type { EndedThread, ListedThread, StandingThread, ThreadList, ThreadState } from "./types.js";

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
  const ending = readThreadRecord(storage, thread, "ending");
  if (!ending.ok || ending.value === null) return ending.ok ? ok(null) : ending;
  const workflow = workflowOfHead(storage.cas, ending.value.head);
  if (!workflow.ok) return workflow;
  return ok({ kind: "ended", thread, workflow: workflow.value, ...ending.value, pending: true });
}

/** A shorter beginning is more likely a typo than meant: what changes a thread does not accept it. */
const SHORTEST_TO_CHANGE = 4;

/**
 * The thread that a person means: by its full id, a unique beginning of it, or a unique end of at least 4 characters,
 * in lower case too; active or ended. With the caller's folder, `latest` is the newest one that was started there. For
 * callers that change it (`change`), or end or remove it (`end`), a beginning needs 4 characters too; an end that two
 * threads share never means one that is to end, even if one stands in the place of the other.
 */
export async function findThread(
  storage: Storage,
  text: string,
  folder: string | null = null,
  use: "read" | "change" | "end" = "read",
): Promise<Result<ThreadState, Fault>> {
  const shortest = use === "read" ? 0 : SHORTEST_TO_CHANGE;
  const thread = await (text === LATEST && folder !== null
    ? latestIn(storage, folder)
    : named(storage, text, { shortest, successors: use !== "end" }));
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

/** What a part of an id may be. */
type Parts = {
  /** Characters at least. */
  readonly shortest: number;
  /** Whether the end of an ended thread's id means the active one that stands in its place. */
  readonly successors: boolean;
};

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
  const history = readHistory(storage, part);
  if (!history.ok) return history;
  const { ended, removed } = history.value;
  const active = [...heads.value.keys()].filter((id) => hasThreadIdPart(id, part));
  const candidates = [...new Set([...active, ...ended.keys()])].filter(isThreadId).sort();
  const [only] = candidates;
  if (only === undefined) return explainNone(storage, part, [...removed.keys()]);
  if (part.length < shortest) return err(fault("PREFIX_TOO_SHORT", { prefix: part, shortest, candidates }));
  if (candidates.length === 1) return ok(only);
  const standing = successors ? successorAmong(storage, candidates, part, ended) : ok(null);
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
  ended: History["ended"],
): Result<ThreadId | null, Fault> {
  const [random, ...others] = new Set(candidates.map((id) => id.slice(-RANDOM_LENGTH)));
  if (random?.endsWith(part) !== true || others.length > 0) return ok(null);
  const [active, another] = candidates.filter((id) => !ended.has(id));
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
  const { ended, lineNow } = history.value;
  const runs = attempt(() => new Set(folderNames(storage.paths.runs)));
  if (!runs.ok) return runs;
  const active = [...heads.value.keys()].filter(isThreadId).filter((thread) => !ended.has(thread));
  // Each part is in order already, or nearly.
  const ids = [...active, ...(all ? ended.keys() : [])].sort();
  const headOf: HeadOf = (thread) => heads.value.get(thread) ?? null;
  const state = (thread: ThreadId): ListedThread | null => {
    const line = ended.get(thread);
    if (line !== undefined) return all ? endedBy(line) : null;
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
  const everyId = (): Iterable<ThreadId> => [...active, ...ended.keys()];
  return ok({ ids, state, ended: (thread) => ended.has(thread), everyId });
}

type GrowingHistory = Pick<History, "ended"> & {
  /** As it is when it is asked for: the history is read again when the file has grown. */
  readonly lineNow: (thread: ThreadId) => Result<HistoryLine | null, Fault>;
};

function growingHistory(storage: Storage): Result<GrowingHistory, Fault> {
  let bytes = readSize(storage.paths.history);
  const known = readHistory(storage);
  if (!known.ok) return known;
  let newest: Result<History, Fault> = known;
  const lineNow: GrowingHistory["lineNow"] = (thread) => {
    const now = readSize(storage.paths.history);
    if (now !== bytes) {
      bytes = now;
      newest = readHistory(storage);
    }
    return newest.ok ? ok(newest.value.ended.get(thread) ?? null) : newest;
  };
  return ok({ ended: known.value.ended, lineNow });
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

/** The word by which a person names the newest thread of the current folder. No id contains an L. */
export const LATEST = "latest";

/**
 * The newest thread that was started in a folder, and by no other thread; where there is none, in the nearest folder above
 * it that belongs to the same project. One that has ended counts: `kill latest` must not hit an older one. Its folder is
 * gone with its runs, but the line about its start names it.
 */
function findLatest(
  storage: Storage,
  { ids, ended }: Pick<ThreadList, "ids" | "ended">,
  folder: string,
): Result<ThreadId, Fault> {
  const family = readFamily(storage);
  if (!family.ok) return family;
  const own = ids.filter((thread) => family.value.parentOf(thread) === null);
  const places = projectFolders(folder);
  const active = attempt(() => newestWithFolder(storage, own, places));
  if (!active.ok) return active;
  const over = new Set(own.filter((thread) => ended(thread) && isNewer(thread, active.value)));
  const logged = over.size === 0 ? ok(null) : newestOfLog(storage, over, places);
  if (!logged.ok) return logged;
  const latest = nearer(active.value, logged.value);
  return latest === null ? err(fault("NO_LATEST_THREAD", { folder })) : ok(latest.thread);
}

/** `distance`: how many folders above the caller's. */
type Started = { readonly thread: ThreadId; readonly distance: number };

/** Only these can count: beside a thread of the very folder no older one does. */
function isNewer(thread: ThreadId, active: Started | null): boolean {
  return active === null || active.distance > 0 || thread > active.thread;
}

function nearer(one: Started | null, other: Started | null): Started | null {
  if (one === null || other === null) return one ?? other;
  if (one.distance !== other.distance) return one.distance < other.distance ? one : other;
  return one.thread > other.thread ? one : other;
}

function newestWithFolder(
  storage: Storage,
  ids: readonly ThreadId[],
  places: readonly string[],
): Started | null {
  const there = new Set(folderNames(storage.paths.runs));
  let best: Started | null = null;
  for (const thread of [...ids].reverse()) {
    const kept = there.has(thread) ? readWorkFolder(storage, thread) : ok(null);
    const distance = kept.ok && kept.value !== null ? places.indexOf(kept.value) : -1;
    if (distance === 0) return { thread, distance };
    if (distance > 0) best = nearer(best, { thread, distance });
  }
  return best;
}

/** Of these ended threads the one that counts, as far as the end of the log tells. */
function newestOfLog(
  storage: Storage,
  ended: ReadonlySet<ThreadId>,
  places: readonly string[],
): Result<Started | null, Fault> {
  const days = logDays(storage, null);
  if (!days.ok) return days;
  return attempt(() => {
    let best: Started | null = null;
    for (const { thread, line } of recentEntries(days.value, [eventText("started"), eventText("forked")])) {
      const event = readEvent(line);
      const cwd = event?.kind === "started" || event?.kind === "forked" ? event.cwd : null;
      const distance = cwd === null ? -1 : places.indexOf(cwd);
      if (thread !== null && distance !== -1 && ended.has(thread)) best = nearer(best, { thread, distance });
    }
    return best;
  });
}
