import { existsSync } from "node:fs";
import { dirname } from "node:path";
import { isCopied, type Lock, readLock } from "@uncaged/json-cas-fs";
import {
  type CasRef,
  err,
  type Fault,
  fault,
  ok,
  type Result,
  type ThreadId,
} from "@uncaged/workflow-protocol";
import { readThreadHistory } from "../archive.js";
import { attempt } from "../attempt.js";
import { removeTree } from "../files.js";
import { withIndexLock } from "../locks.js";
import { threadRunsPath, writeWorkFolder } from "../runs/index.js";
import type { Storage } from "../storage.js";
import { endedOrUnknown, readEnding, readHead, updateHead } from "./ending.js";

/**
 * A new thread, and the folder in which its agents work. Its id is fresh; one that exists already is refused rather than
 * re-pointed. Takes the index lock.
 */
export function addThread(
  storage: Storage,
  thread: ThreadId,
  head: CasRef,
  folder: string | null = null,
): Promise<Result<void, Fault>> {
  return withIndexLock(storage, () => addThreadUnderLock(storage, thread, head, folder));
}

/** The same for a caller that holds the index lock. */
export async function addThreadUnderLock(
  storage: Storage,
  thread: ThreadId,
  head: CasRef,
  folder: string | null,
): Promise<Result<void, Fault>> {
  const there = await refuseKnown(storage, thread);
  if (!there.ok) return there;
  // Before the head: a crash in between leaves a file of an unknown thread, but never a thread without its
  // folder.
  const kept = folder === null ? ok(undefined) : writeWorkFolder(storage, thread, folder);
  return kept.ok ? updateHead(storage, thread, () => ok(head)) : kept;
}

async function refuseKnown(storage: Storage, thread: ThreadId): Promise<Result<void, Fault>> {
  const head = await readHead(storage, thread);
  if (!head.ok) return head;
  const ended = readThreadHistory(storage, thread);
  if (!ended.ok) return ended;
  return head.value === null && ended.value === null
    ? ok(undefined)
    : err(fault("INVALID_INPUT", { what: `thread ${thread}`, reason: "it exists already" }));
}

/** A thread that no other process can step or archive until it is released. */
export type ThreadLock = { readonly thread: ThreadId; readonly lock: Lock };

/**
 * Whether this process still holds the lock it took: another command may have released it by force, or moved the storage root,
 * while this machine slept or could not reach the file system. `CLAIM_LOST` if not.
 */
export function stillHeld({ thread, lock }: ThreadLock): Result<void, Fault> {
  const locks = dirname(lock.path);
  if (!existsSync(locks) || isCopied(lock.record, locks)) {
    return err(fault("CLAIM_LOST", { thread, movedFrom: dirname(locks) }));
  }
  const holder = attempt(() => readLock(lock.path));
  if (!holder.ok) return holder;
  if (holder.value?.nonce === lock.record.nonce) return ok(undefined);
  return err(fault("CLAIM_LOST", { thread, movedFrom: null }));
}

type Advance = {
  readonly thread: ThreadId;
  readonly expected: CasRef;
  readonly next: CasRef;
  /** The claim under which the step worked; without one, no other process may know the thread. */
  readonly claim?: ThreadLock;
};

/**
 * Stage 8: moves the head, only if it has not moved since the step began and only while the claim is held. Takes
 * the index lock, under which `ending` is written too: a step that finishes after a kill finds it here and never
 * revives the thread.
 */
export async function advanceHead(
  storage: Storage,
  { thread, expected, next, claim }: Advance,
): Promise<Result<void, Fault>> {
  const stillOurs = (): Result<void, Fault> => (claim === undefined ? ok(undefined) : stillHeld(claim));
  // Before the lock too, which would make a new root where this one has been.
  const before = stillOurs();
  if (!before.ok) return before;
  return withIndexLock(storage, async () => {
    const held = stillOurs();
    if (!held.ok) return held;
    const ending = readEnding(storage, thread);
    if (!ending.ok) return ending;
    if (ending.value !== null) return err(fault("THREAD_ENDED", { thread, reason: ending.value.reason }));
    return updateHead(storage, thread, (found) => {
      if (found === null) return endedOrUnknown(storage, thread);
      if (found !== expected) return err(fault("HEAD_MOVED", { thread, expected, found }));
      return ok(next);
    });
  });
}

/**
 * Withdraws a thread that was only just added and has not been reported yet: its line and folder are
 * removed if it still has that head. Takes the index lock.
 */
export function withdrawThread(
  storage: Storage,
  thread: ThreadId,
  head: CasRef,
): Promise<Result<void, Fault>> {
  return withIndexLock(storage, () => withdrawThreadUnderLock(storage, thread, head));
}

/** The same for a caller that holds the index lock. */
export async function withdrawThreadUnderLock(
  storage: Storage,
  thread: ThreadId,
  head: CasRef,
): Promise<Result<void, Fault>> {
  let isTaken = false;
  const taken = await updateHead(storage, thread, (found) => {
    isTaken = found === head;
    return ok(isTaken ? null : found);
  });
  return taken.ok && isTaken ? attempt(() => removeTree(threadRunsPath(storage, thread))) : taken;
}
