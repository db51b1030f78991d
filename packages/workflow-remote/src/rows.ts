import { type Hash, isHash, LAST_TIME } from "@uncaged/json-cas";
import {
  type Fault,
  fault,
  isHistoryReason,
  isObject,
  isThreadId,
  ROLE_NAME,
  type ThreadId,
} from "@uncaged/workflow-protocol";
import type { Row } from "./database.js";
import type {
  FoundThread,
  Leased,
  LogLine,
  ParentLink,
  RemoteHold,
  RemoteNode,
  RemoteThread,
  RemoteWorkspace,
  RootNames,
} from "./types.js";

// Rows as they come in. Whoever may write to the tables may have written anything: what becomes the name of a file or a word
// of a command line (ids, hashes, names of roots, commits, folders) has its form here, or the row is refused.

/** A row that no uwf has written. */
export class WrongRow extends Error {
  readonly fault: Fault;
  readonly what: string;
  readonly value: unknown;
  /** `thread`: whose row it is, where that is known. */
  constructor(what: string, value: unknown, thread: ThreadId | null = null) {
    super(what);
    this.what = what;
    this.value = value;
    const shown = JSON.stringify(value) ?? "nothing";
    const row = thread === null ? "a row" : `the row of thread "${thread}"`;
    const reason = `${row} has ${shown.length > 100 ? `${shown.slice(0, 100)}…` : shown} as ${what}`;
    const hint = "uwf has not written it: correct the row, or remove it";
    this.fault = fault("INVALID_INPUT", { what: "the remote's database", reason, hint });
  }
}

/** Reads each row by itself: one that no uwf has written hides none of the others. */
export function soundRows<T>(
  rows: readonly Row[],
  read: (row: Row) => T,
): { readonly sound: readonly T[]; readonly wrong: readonly Fault[] } {
  const sound: T[] = [];
  const wrong: Fault[] = [];
  for (const row of rows) {
    try {
      sound.push(read(row));
    } catch (error) {
      if (!(error instanceof WrongRow)) throw error;
      wrong.push(error.fault);
    }
  }
  return { sound, wrong };
}

type Is<T> = (value: unknown) => value is T;

function checked<T>(what: string, is: Is<T>, value: unknown): T {
  if (is(value)) return value;
  throw new WrongRow(what, value);
}

function orNull<T>(what: string, is: Is<T>, value: unknown): T | null {
  return value === null || value === undefined ? null : checked(what, is, value);
}

const isText = (value: unknown): value is string => typeof value === "string";
const isCount = (value: unknown): value is number =>
  typeof value === "number" && Number.isSafeInteger(value) && value >= 0;
/** The column takes no more than twice that: a step more still fits. */
const isSteps = (value: unknown): value is number => isCount(value) && value <= 2 ** 30;
/** The next one is exact, too. */
const isLease = (value: unknown): value is number => isCount(value) && value < Number.MAX_SAFE_INTEGER;
/** Epoch ms of a date: a file of a storage root that has another one is damaged. */
const isTime = (value: unknown): value is number => isCount(value) && value <= LAST_TIME;
const isRoleName = (value: unknown): value is string => isText(value) && ROLE_NAME.test(value);
const isRootName = (value: unknown): value is string => isText(value) && /^[0-9A-Za-z-]{1,64}$/.test(value);
const isCommit = (value: unknown): value is string =>
  isText(value) && /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(value);
const isFolder = (value: unknown): value is string =>
  isText(value) && value.startsWith("/") && !value.includes("\0");
const isHashList = (value: unknown): value is readonly Hash[] => Array.isArray(value) && value.every(isHash);
const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> => isObject(value);

export function threadIn({ thread }: Row): ThreadId {
  return checked("the id of a thread", isThreadId, thread);
}

export function hashIn(value: unknown): Hash {
  return checked("the hash of a node", isHash, value);
}

export function hashOrNone(value: unknown): Hash | null {
  return orNull("the hash of a node", isHash, value);
}

export function asNode({ hash, type, refs, bytes }: Row): RemoteNode {
  return {
    hash: hashIn(hash),
    type: hashIn(type),
    refs: checked("the references of a node", isHashList, JSON.parse(String(refs))),
    bytes: new Uint8Array(Buffer.from(String(bytes), "base64")),
  };
}

export function asThread(row: Row): RemoteThread {
  return inRowOf(threadIn(row), () => threadOf(row));
}

/** Names the thread in whose row something is wrong. */
function inRowOf<T>(thread: ThreadId, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw error instanceof WrongRow ? new WrongRow(error.what, error.value, thread) : error;
  }
}

function threadOf(row: Row): RemoteThread {
  return {
    thread: threadIn(row),
    workflow: hashIn(row.workflow),
    head: hashIn(row.head),
    steps: checked("a number of steps", isSteps, Number(row.steps)),
    cwd: orNull("the folder of a thread", isFolder, row.cwd),
    workspace: asWorkspace(row.workspace),
    ended: orNull("the end of a thread", isHistoryReason, row.ended),
    held: asHold(row.held),
    paused: asPause(row.paused),
    leasedBy: orNull("the name of a root", isRootName, row.leased_by),
    place: asPlace(row.place),
    changedAt: checked("the time of a change", isTime, Math.floor(Number(row.changed))),
  };
}

export function asFound(row: Row): FoundThread {
  return { ...asThread(row), worker: asRootOrNone(row.worker) };
}

export function asLeased(row: Row): Leased {
  return inRowOf(threadIn(row), () => ({
    ...asThread(row),
    lease: checked("the number of a lease", isLease, Number(row.lease)),
    lost: asRootOrNone(row.lost),
    hasChildren: row.has_children === true,
  }));
}

export function asLogLine(row: Row): LogLine {
  return {
    thread: threadIn(row),
    at: checked("the time of a line", isTime, Math.floor(Number(row.at))),
    entry: checked("a line of the log", isRecord, row.entry),
  };
}

export function asRoot({ root, host, folder }: Row): RootNames {
  return {
    root: checked("the name of a root", isRootName, root),
    host: orNull("the name of a machine", isText, host),
    folder: orNull("the folder of a root", isText, folder),
  };
}

function asRootOrNone(value: unknown): RootNames | null {
  const names = orNull("the names of a root", isRecord, value);
  return names === null ? null : asRoot(names);
}

export function asPlace(value: unknown): ParentLink | null {
  const place = orNull("the place of a thread", isRecord, value);
  return place === null
    ? null
    : {
        parent: checked("the id of a thread", isThreadId, place.parent),
        head: hashIn(place.head),
        role: checked("the role of a place", isRoleName, place.role),
        item: orNull("the item of a place", isCount, place.item),
        at: checked("the time of a place", isTime, place.at),
      };
}

export function asHold(value: unknown): RemoteHold | null {
  const held = orNull("what a thread waits for", isRecord, value);
  const text = (name: string): string | null => orNull("a text of what it waits for", isText, held?.[name]);
  return held === null
    ? null
    : {
        for: checked("what a thread waits for", isText, held.for),
        role: text("role"),
        question: text("question"),
        code: text("code"),
      };
}

function asWorkspace(value: unknown): RemoteWorkspace | null {
  const workspace = orNull("the workspace of a thread", isRecord, value);
  return workspace === null
    ? null
    : {
        git: checked("the address of a workspace", isText, workspace.git),
        ref: orNull("the branch of a workspace", isText, workspace.ref),
        commit: orNull("the commit of a workspace", isCommit, workspace.commit),
      };
}

function asPause(value: unknown): RemoteThread["paused"] {
  const pause = orNull("the pause of a thread", isRecord, value);
  if (pause === null) return null;
  const since = checked("the time of a pause", isTime, pause.since);
  return { since, why: orNull("a reason", isText, pause.why) };
}
