import { statSync } from "node:fs";
import { replaceFile } from "@uncaged/json-cas-fs";
import {
  type AwaitedThread,
  type CasRef,
  type Fault,
  type Held,
  type HeldThread,
  type HoldRecord,
  type LimitRecord,
  ok,
  type PauseRecord,
  type Result,
  type ThreadId,
  type WaitingRecord,
} from "@uncaged/workflow-protocol";
import { timeOfThreadId } from "@uncaged/workflow-util";
import { attempt } from "../attempt.js";
import { projectStamp } from "../config/index.js";
import { activeHead, readHeads } from "../heads.js";
import { withIndexLock } from "../locks.js";
import { readChainNode } from "../nodes.js";
import { parseRecord } from "../record.js";
import { type RunDir, runFileTail } from "../run-dir.js";
import type { Storage } from "../storage.js";
import {
  asWaiting,
  readHold,
  readThreadRecord,
  threadRecordPath,
  writeThreadRecord,
} from "../thread-records.js";

// What a step does about what a thread waits for is in workflow-engine/src/step/held.ts.

type ThreadPosition = { readonly thread: ThreadId; readonly head: string };

/** Longer questions are a document, which the agent can store and name. */
const LONGEST_WAITING = 64 * 1024;

/**
 * Reads what an agent that exits with 9 waits for; `null`: it left no valid record. Throws `CasError`
 * `IO_FAILED`.
 */
export function readWaiting(run: RunDir): WaitingRecord | null {
  return asWaiting(parseRecord(runFileTail(run.waiting, LONGEST_WAITING) ?? "") ?? {});
}

/** Records for uwf what an agent that exits with 9 waits for. */
export function writeWaiting({ waiting }: RunDir, record: WaitingRecord): Result<void, Fault> {
  return attempt(() => replaceFile(waiting, `${JSON.stringify(record)}\n`, 0o600));
}

/**
 * The run under way finishes and counts. A thread that is paused already keeps its time; one that a remote has stays as it
 * is. Takes the index lock.
 */
export function pauseThread(
  storage: Storage,
  thread: ThreadId,
  why: string | null,
): Promise<Result<void, Fault>> {
  return whileActive(storage, thread, () => {
    const there = readThreadRecord(storage, thread, "pause");
    if (!there.ok) return there;
    if (there.value?.remote === true) return ok(undefined);
    const since = there.value?.since ?? storage.now();
    const record: PauseRecord = { since, why: why ?? there.value?.why ?? null, remote: false };
    return writeThreadRecord(storage, thread, "pause", record);
  });
}

/** Leaves a thread alone that is not paused, or that a remote has. Takes the index lock. */
export function resumeThread(storage: Storage, thread: ThreadId): Promise<Result<void, Fault>> {
  return whileActive(storage, thread, () => {
    const there = readThreadRecord(storage, thread, "pause");
    if (there.ok && there.value?.remote === true) return ok(undefined);
    return writeThreadRecord(storage, thread, "pause", null);
  });
}

/** From now on a remote has the thread: stepped here as well, it would go two ways. Takes the index lock. */
export function giveToRemote(storage: Storage, thread: ThreadId): Promise<Result<void, Fault>> {
  return whileActive(storage, thread, () => markRemote(storage, thread));
}

/** The same for a caller that holds the index lock, also of a thread that is not here yet. */
export function markRemote(storage: Storage, thread: ThreadId): Result<void, Fault> {
  const there = readThreadRecord(storage, thread, "pause");
  if (there.ok && there.value?.remote === true) return ok(undefined);
  const record: PauseRecord = { since: storage.now(), why: null, remote: true };
  return writeThreadRecord(storage, thread, "pause", record);
}

/**
 * Pauses a thread that a paused one starts, as the run under way goes on starting threads; a child of a
 * remote's thread becomes the remote's. Needs the index lock, and a thread that no other process knows yet; a
 * start that was cut short may have left its file.
 */
export function inheritPause(
  storage: Storage,
  { from, to }: { readonly from: ThreadId; readonly to: ThreadId },
): Result<void, Fault> {
  const pause = readThreadRecord(storage, from, "pause");
  return pause.ok ? writeThreadRecord(storage, to, "pause", pause.value) : pause;
}

/** Writes no file for a thread that has ended. Holds the index lock, so that no process ends it meanwhile. */
export function whileActive<T>(
  storage: Storage,
  thread: ThreadId,
  work: () => Result<T, Fault>,
): Promise<Result<T, Fault>> {
  return withIndexLock(storage, async () => {
    const head = await activeHead(storage, thread);
    return head.ok ? work() : head;
  });
}

/** Changes whenever config.yaml or the settings of the thread's project do; "" where there are none. */
export function configStamp(storage: Storage, thread: ThreadId): string {
  const found = statSync(storage.paths.config, { throwIfNoEntry: false });
  const own = found === undefined ? "" : `${Math.round(found.mtimeMs)} ${found.size}`;
  return `${own}${projectStamp(storage, thread)}`;
}

/** Changes whenever the thread's limits do, or what `configStamp` looks at, and when the thread has ended. */
export function limitsStamp(storage: Storage, thread: ThreadId): string {
  const found = statSync(threadRecordPath(storage, thread, "limits"), { throwIfNoEntry: false });
  const own = found === undefined ? "" : `${found.ino} ${Math.round(found.mtimeMs)}`;
  return `${configStamp(storage, thread)}/${own}`;
}

/** When the thread came to its head, epoch ms. A fork, or the same task started again, has an older head. */
export function arrivedAt(
  storage: Storage,
  { thread, head }: { readonly thread: ThreadId; readonly head: CasRef },
): number {
  const node = readChainNode(storage.cas, head);
  return Math.max(timeOfThreadId(thread), node.ok ? node.value.timestamp : 0);
}

/** Heads of the active threads; `null`: it has ended. */
export type HeadOf = (thread: ThreadId) => CasRef | null;

/** Why the thread's next step would start nothing; `null`: it would. */
export function heldAt(storage: Storage, place: ThreadPosition, headOf: HeadOf): Result<Held | null, Fault> {
  return heldAmong(storage, place, { headOf, seen: new Set() });
}

/** The same for a caller that has not read the heads. */
export async function findHeld(storage: Storage, place: ThreadPosition): Promise<Result<Held | null, Fault>> {
  const hold = readHold(storage, place);
  // One that cannot be read is a fault only of a thread that is not paused.
  const headOf = await headsFor(storage, hold.ok ? hold.value : null);
  return headOf.ok ? heldAt(storage, place, headOf.value) : headOf;
}

/** Whether what is waited for is unchanged, so that running the agent again would find nothing new. */
export async function stillWaits(storage: Storage, hold: Waiting): Promise<Result<boolean, Fault>> {
  const headOf = await headsFor(storage, hold);
  return headOf.ok ? isWaiting(storage, hold, { headOf: headOf.value, seen: new Set() }) : headOf;
}

type Waiting = WaitingRecord | LimitRecord;

/** Heads are read only for a thread that waits for threads. */
async function headsFor(storage: Storage, hold: Waiting | null): Promise<Result<HeadOf, Fault>> {
  if (hold?.for !== "threads") return ok(() => null);
  const heads = await readHeads(storage);
  return heads.ok ? ok((thread) => heads.value.get(thread) ?? null) : heads;
}

/** `seen`: threads that wait for one another would be followed for ever. */
type Followed = { readonly headOf: HeadOf; readonly seen: Set<string> };

function heldAmong(storage: Storage, place: ThreadPosition, followed: Followed): Result<Held | null, Fault> {
  const pause = readThreadRecord(storage, place.thread, "pause");
  if (!pause.ok) return pause;
  if (pause.value !== null) return ok(pausedFor(pause.value));
  const hold = readHold(storage, place);
  if (!hold.ok || hold.value === null) return hold.ok ? ok(null) : hold;
  const stands = isWaiting(storage, hold.value, followed);
  if (!stands.ok || !stands.value) return stands.ok ? ok(null) : stands;
  return ok(heldBy(hold.value));
}

function pausedFor({ since, why, remote: isRemote }: PauseRecord): Held {
  const what = isRemote ? "remote" : "resume";
  const held = { for: what, role: null, question: why, threads: [], since, until: null } as const;
  return { ...held, limit: null, waitingSince: since };
}

function heldBy(hold: HoldRecord): Held {
  const { for: what, role, question, threads, since, until } = hold;
  const { at: waitingSince } = hold;
  const waiting = { for: what, role, question, threads: threads.map(({ thread }) => thread), since, until };
  if (hold.for !== "limit") return { ...waiting, limit: null, waitingSince };
  const { of, limit, max, spent } = hold.limit;
  return { ...waiting, limit: { of, limit, max, spent }, waitingSince };
}

/**
 * Where the wait of a thread that waits for others ends: the first of them, or below them, that waits for something
 * else; one at a limit before the others, since an answer does not help it. `null`: none does, they only have to be
 * stepped. Looks where they stood when the wait began.
 */
export function findBlocker(storage: Storage, place: ThreadPosition): HeldThread | null {
  const all = [...blockersAmong(storage, place, new Set())];
  return all.find(({ held }) => held.for === "limit") ?? all[0] ?? null;
}

function* blockersAmong(storage: Storage, place: ThreadPosition, seen: Set<string>): Generator<HeldThread> {
  const hold = readHold(storage, place);
  if (!hold.ok || hold.value?.for !== "threads") return;
  for (const { thread, head } of hold.value.threads) {
    if (seen.has(thread)) continue;
    seen.add(thread);
    const pause = readThreadRecord(storage, thread, "pause");
    const own = readHold(storage, { thread, head });
    if (pause.ok && pause.value !== null) yield { thread, held: pausedFor(pause.value) };
    else if (own.ok && own.value?.for === "threads") yield* blockersAmong(storage, { thread, head }, seen);
    else if (own.ok && own.value !== null) yield { thread, held: heldBy(own.value) };
  }
}

function isWaiting(storage: Storage, hold: Waiting, followed: Followed): Result<boolean, Fault> {
  if (hold.until !== null && storage.now() >= hold.until) return ok(false);
  if (hold.for === "answer") return ok(true);
  if (hold.for === "limit") return ok(limitsStamp(storage, hold.limit.of) === hold.limit.stamp);
  // Only the agent can tell whether something has changed, so it is run again, unless it has named a time.
  if (hold.for === "change") return ok(hold.until !== null);
  for (const awaited of hold.threads) {
    const unchanged = isUnchanged(storage, awaited, followed);
    if (!unchanged.ok || !unchanged.value) return unchanged;
  }
  return ok(true);
}

function isUnchanged(storage: Storage, awaited: AwaitedThread, followed: Followed): Result<boolean, Fault> {
  const { thread, head, held } = awaited;
  if (followed.headOf(thread) !== head) return ok(false);
  const ending = readThreadRecord(storage, thread, "ending");
  if (!ending.ok || ending.value !== null) return ending.ok ? ok(false) : ending;
  if (!held || followed.seen.has(thread)) return ok(true);
  followed.seen.add(thread);
  const still = heldAmong(storage, { thread, head }, followed);
  return still.ok ? ok(still.value !== null) : still;
}
