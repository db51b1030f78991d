import { join } from "node:path";
import { isHash, isObject } from "@uncaged/json-cas";
import { makeDir, refuseLink, removeIfThere, replaceFile } from "@uncaged/json-cas-fs";
import {
  type AwaitedThread,
  type EndingRecord,
  type Fault,
  type HoldRecord,
  isHistoryReason,
  isThreadId,
  type LimitRecord,
  ok,
  type PauseRecord,
  type Result,
  type RoutingFailure,
  type SpendingLimits,
  type ThreadId,
  type WaitingRecord,
} from "@uncaged/workflow-protocol";
import { attempt } from "./attempt.js";
import { damaged, readText } from "./files.js";
import {
  isAmount,
  isEpochMs,
  isFlag,
  isText,
  orNull,
  parseRecord,
  type RecordShape,
  shapeOf,
} from "./record.js";
import { threadRunsPath } from "./run-dir.js";
import type { Storage } from "./storage.js";

// What is said of a thread stands beside its runs, in files with a dot (but for `ending`), which no token of a run has. Each
// appears by rename, complete or not at all. A link in the place of one is replaced, never followed.

type RecordFile<T> = RecordShape<T> & { readonly file: string };

type Position = { readonly thread: ThreadId; readonly head: string };

/** runs/<thread>/cwd.json: the folder in which its agents work, absolute. */
const folder: RecordFile<{ readonly cwd: string }> = {
  file: "cwd.json",
  ...shapeOf<{ readonly cwd: string }>({ cwd: isAbsolute }),
  otherwise: "it names no folder",
};

/** runs/<thread>/workflow.json: the file that its workflow was read from, absolute. A hint for people, and no more. */
const source: RecordFile<{ readonly file: string }> = {
  file: "workflow.json",
  ...shapeOf<{ readonly file: string }>({ file: isAbsolute }),
  otherwise: "it names no file",
};

function isAbsolute(path: unknown): path is string {
  return isText(path) && path.startsWith("/");
}

/** runs/<thread>/ending: exists from the decision to end a thread until its archive is complete. */
const ending: RecordFile<EndingRecord> = {
  file: "ending",
  ...shapeOf<EndingRecord>({ head: isHash, reason: isHistoryReason, completedAt: isEpochMs }),
};

/** runs/<thread>/pause.json: a person wants no further run, or a remote has the thread. */
const pause: RecordFile<PauseRecord> = {
  file: "pause.json",
  ...shapeOf<PauseRecord>({ since: isEpochMs, why: orNull(isText), remote: isFlag }),
};

/** runs/<thread>/limits.json: what a person allows the thread to spend; replaced under the index lock. */
const limits: RecordFile<SpendingLimits> = {
  file: "limits.json",
  ...shapeOf<SpendingLimits>({
    maxSteps: orNull(isAmount),
    maxCostUsd: orNull(isAmount),
    maxMinutes: orNull(isAmount),
  }),
};

type StuckRecord = Omit<RoutingFailure, "outcome"> & { readonly head: string };

/**
 * runs/<thread>/stuck.json: a decision that fails on a head fails there again, and only a step learns of it. It tells those who
 * list many threads, without a look into the log for each. For any head but the thread's it no longer says anything.
 */
const stuck: RecordFile<StuckRecord> = {
  file: "stuck.json",
  ...shapeOf<StuckRecord>({
    ...{ head: isHash, code: isText, message: isText, hint: isText, role: isText },
    timestamp: isEpochMs,
  }),
};

/** runs/<thread>/hold.json: what its next step waits for; counts while its head is the thread's. */
const hold: RecordFile<HoldRecord> = {
  file: "hold.json",
  read: (record) => {
    const waiting = record.for === "limit" ? asReached(record) : asWaiting(record);
    const about = HOLD.read(record);
    return waiting === null || about === null ? null : { ...waiting, ...about };
  },
  otherwise: "it does not say what is waited for",
};

const HOLD = shapeOf<Omit<HoldRecord, keyof WaitingRecord | "limit">>({
  ...{ head: isHash, role: isText, agent: orNull(isText), since: isEpochMs, config: isText, told: isFlag },
  at: isEpochMs,
});

const REACHED = shapeOf<LimitRecord["limit"]>({
  of: isThreadId,
  limit: (name) => name === "maxSteps" || name === "maxCostUsd" || name === "maxMinutes",
  ...{ max: isNumber, spent: isNumber, stamp: isText },
});

function isNumber(value: unknown): value is number {
  return typeof value === "number";
}

function asReached({ question, limit }: Readonly<Record<string, unknown>>): LimitRecord | null {
  const reached = isObject(limit) ? REACHED.read(limit) : null;
  if (!isText(question) || reached === null) return null;
  return { for: "limit", question, threads: [], until: null, limit: reached };
}

/** Reads what an agent waits for, from waiting.json or its reply; `null`: the record has another shape. */
export function asWaiting(record: Readonly<Record<string, unknown>>): WaitingRecord | null {
  const { for: what, question = null, threads = [], until = null } = record;
  if (what !== "answer" && what !== "threads" && what !== "change") return null;
  if (!orNull(isText)(question) || !orNull(isEpochMs)(until)) return null;
  const awaited = Array.isArray(threads) ? threads.map(asAwaited) : [null];
  const known = awaited.filter((each) => each !== null);
  // Refuses a wait for threads that names none: it would never end.
  if (known.length < awaited.length || (what === "threads" && known.length === 0)) return null;
  return { for: what, question, threads: known, until };
}

const AWAITED = shapeOf<AwaitedThread>({ thread: isThreadId, head: isHash, held: isFlag });

function asAwaited(value: unknown): AwaitedThread | null {
  return isObject(value) ? AWAITED.read({ held: false, ...value }) : null;
}

const RECORDS = { folder, source, ending, pause, limits, stuck, hold } as const;

type Name = keyof typeof RECORDS;

type Recorded<N extends Name> = (typeof RECORDS)[N] extends RecordFile<infer T> ? T : never;

export function threadFilePath(storage: Storage, thread: ThreadId, file: string): string {
  return join(threadRunsPath(storage, thread), file);
}

export function threadRecordPath(storage: Storage, thread: ThreadId, name: Name): string {
  return threadFilePath(storage, thread, RECORDS[name].file);
}

/** `null`: there is no such file. One of another shape is `STORE_DAMAGED`. */
export function readThreadRecord<N extends Name>(
  storage: Storage,
  thread: ThreadId,
  name: N,
): Result<Recorded<N> | null, Fault> {
  const file = threadRecordPath(storage, thread, name);
  const { read, otherwise } = RECORDS[name] as RecordShape<unknown> as RecordShape<Recorded<N>>;
  const text = readText(file);
  if (!text.ok || text.value === null) return text.ok ? ok(null) : text;
  const record = read(parseRecord(text.value) ?? {});
  return record === null ? damaged(file, otherwise) : ok(record);
}

/**
 * `null` removes it; one that is not there is fine. Needs a lock under which no other process writes it, or a thread that no
 * other process knows yet.
 */
export function writeThreadRecord<N extends Name>(
  storage: Storage,
  thread: ThreadId,
  name: N,
  record: Recorded<N> | null,
): Result<void, Fault> {
  const { file } = RECORDS[name];
  if (record !== null) return writeThreadFile(storage, thread, file, `${JSON.stringify(record)}\n`);
  return attempt(() => void removeIfThere(threadFilePath(storage, thread, file)));
}

/** The same of any text; `mode`: as for open(2). */
export function writeThreadFile(
  storage: Storage,
  thread: ThreadId,
  file: string,
  text: string,
  mode: number | null = null,
): Result<void, Fault> {
  return attempt(() => {
    const runs = threadRunsPath(storage, thread);
    refuseLink(runs);
    makeDir(runs);
    replaceFile(join(runs, file), text, mode);
  });
}

/** The folder in which the thread's agents work, absolute; `null` for a thread that has none yet, or has ended. */
export function readWorkFolder(storage: Storage, thread: ThreadId): Result<string | null, Fault> {
  const record = readThreadRecord(storage, thread, "folder");
  return record.ok ? ok(record.value?.cwd ?? null) : record;
}

/** Whether this root has given the thread to a remote, or has it from one. Until its end; then its line of the history says so. */
export function isOnRemote(storage: Storage, thread: ThreadId): boolean {
  const record = readThreadRecord(storage, thread, "pause");
  return record.ok && record.value?.remote === true;
}

/** What the thread waits for at its head; `null`: nothing. */
export function readHold(storage: Storage, { thread, head }: Position): Result<HoldRecord | null, Fault> {
  const record = readThreadRecord(storage, thread, "hold");
  return record.ok && record.value?.head !== head ? ok(null) : record;
}

/** Why routing failed at the thread's head; `null` if it did not. */
export function readStuck(
  storage: Storage,
  { thread, head }: Position,
): Result<RoutingFailure | null, Fault> {
  const record = readThreadRecord(storage, thread, "stuck");
  if (!record.ok || record.value === null) return record.ok ? ok(null) : record;
  const { head: at, ...failure } = record.value;
  return ok(at === head ? { outcome: "routing", ...failure } : null);
}
