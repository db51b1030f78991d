import { closeSync, constants, fstatSync, openSync, readdirSync, unlinkSync, writeSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { CasError } from "@uncaged/json-cas";
import { DEFAULT_MODE, errnoOf, guarded, linkNew, makeDir, tryUnlink, writeAll } from "../files/index.js";
import { type FolderIdentity, identifyFolder, type Lock, type LockBusy, type LockRecord } from "./machine.js";
import { classifyHolder, describeHolder, explainHolder, ownRecord, RENEW_MS, readLock } from "./record.js";

/**
 * Removes what dead breakers of this lock left: their locks `<lock>.<nonce>` by the protocol, because somebody
 * else may be cleaning up too; their temporary files directly, because only their writer uses them. Called after
 * breaking a record: without a death there is nothing to clean up.
 */
function sweepLitter(path: string, breakDead: (path: string, dead: LockRecord) => unknown): void {
  const dir = dirname(path);
  const prefix = `${basename(path)}.`;
  for (const name of readdirSync(dir)) {
    if (!name.startsWith(prefix)) continue;
    const litter = join(dir, name);
    const record = readLock(litter);
    if (record === null || classifyHolder(record) !== "dead") continue;
    if (name.endsWith(".tmp")) tryUnlink(litter);
    else breakDead(litter, record);
  }
}

// A lock is a file that holds the record of its holder. It appears complete (temporary file + link(2)) and is not
// synced: after a power cut it is worthless anyway.
//
// Breaking the record of a dead holder: a process that removes it by name alone may remove that of the next
// holder, who came between the look and the unlink. So no process removes a dead record except while holding
// the lock
//
//     <lock>.<nonce of that record>
//
// which is taken by this same function, so that a dead breaker is broken the same way. Under it the record is read
// again and removed only if it still is the one judged dead. Nonces are unique: a breaker that comes late holds a
// lock on a record that is gone, finds another one and leaves it alone.

/** A bound for rounds in which the lock changes hands under our eyes; each round is some microseconds. */
const ROUNDS = 64;

/** Breakers of breakers of breakers… that all died: no file name gets longer than this many nonces. */
const DEPTH = 6;

/**
 * Tries once to take the lock, without waiting; records of dead holders are broken. Creates the folder when it is
 * missing. Throws `CasError` `IO_FAILED` when the folder cannot be written.
 */
export function tryLock(path: string, now: () => number = Date.now): Lock | LockBusy {
  return guarded("lock", path, () => acquire(path, now, DEPTH));
}

function acquire(path: string, now: () => number, depth: number): Lock | LockBusy {
  let hasBroken = false;
  const folder = madeFolder(dirname(path));
  for (let round = 1; round <= ROUNDS; round += 1) {
    const record = ownRecord(now(), folder);
    const placed = place(path, record);
    if (placed.isOurs) {
      if (hasBroken) sweepLitter(path, (litter, dead) => breakDead(litter, dead, now, depth - 1));
      return { kind: "lock", path, record, renewing: null };
    }
    const holder = readLock(path);
    if (holder === null) continue;
    const judgement = classifyHolder(holder, placed.at);
    if (judgement !== "dead") return { kind: "busy", path, holder, judgement };
    if (depth === 0) return { kind: "busy", path, holder, judgement: "unknown" };
    const breaker = breakDead(path, holder, now, depth - 1);
    if (breaker !== null) return { ...breaker, path };
    hasBroken = true;
  }
  throw new CasError({ code: "LOCK_BUSY", lock: path, holder: "others, in quick succession", waitedMs: 0 });
}

/** Removes a dead record, if it is still there; returns the process that is already doing so. */
function breakDead(path: string, dead: LockRecord, now: () => number, depth: number): LockBusy | null {
  const breaker = acquire(`${path}.${dead.nonce}`, now, depth);
  if (breaker.kind === "busy") return breaker;
  try {
    if (readLock(path)?.nonce === dead.nonce) unlinkSync(path);
    return null;
  } finally {
    releaseLock(breaker);
  }
}

/** The folder of a lock; the first lock in it makes it. */
function madeFolder(folder: string): FolderIdentity | null {
  const there = identifyFolder(folder);
  if (there !== null) return there;
  makeDir(folder);
  return identifyFolder(folder);
}

/** `at`: when that was, by the clock of the file system. */
type Placed = { readonly isOurs: boolean; readonly at: number };

/** Makes the record appear under the lock's name, complete, unless the name is taken. */
function place(path: string, record: LockRecord): Placed {
  const temporary = `${path}.${record.nonce}.tmp`;
  const at = writeRecord(temporary, record);
  try {
    return { isOurs: linkNew(temporary, path), at };
  } finally {
    tryUnlink(temporary);
  }
}

function writeRecord(path: string, record: LockRecord): number {
  const fd = openSync(path, "wx", DEFAULT_MODE);
  try {
    writeAll(fd, `${JSON.stringify(record)}\n`);
    return fstatSync(fd).mtimeMs;
  } catch (error) {
    tryUnlink(path);
    throw error;
  } finally {
    closeSync(fd);
  }
}

/** Releases the lock; a record that is no longer this process's (released by force) is left alone. */
export function releaseLock(lock: Lock): void {
  if (lock.renewing !== null) clearInterval(lock.renewing);
  guarded("unlock", lock.path, () => {
    if (readLock(lock.path)?.nonce === lock.record.nonce) unlinkSync(lock.path);
  });
}

/**
 * A sign of life: the file system puts its own time on the lock. The byte is the first of every record, so that it changes
 * nothing in the record of a process that has taken the lock meanwhile by force.
 */
export function renewLock({ path, record }: Lock): void {
  try {
    if (readLock(path)?.nonce !== record.nonce) return;
    const fd = openSync(path, constants.O_WRONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0));
    try {
      writeSync(fd, "{", 0);
    } finally {
      closeSync(fd);
    }
  } catch (error) {
    // A full disk, or a root that was moved: the holder of the lock learns of that at its next write.
    if (errnoOf(error) === null && !(error instanceof CasError)) throw error;
  }
}

/** Polling starts at 1 ms and slows down to this. */
const SLOWEST_POLL_MS = 25;

/**
 * Takes the lock, waiting up to `waitMs` (0: tries once) while another process has it, and renews it until
 * released. Throws `CasError` `LOCK_BUSY` naming the holder, or `IO_FAILED`.
 */
export async function acquireLock(
  path: string,
  options: { readonly waitMs: number },
  now: () => number = Date.now,
): Promise<Lock> {
  let deadline: number | null = null;
  for (let pause = 1; ; pause = Math.min(pause * 2, SLOWEST_POLL_MS)) {
    const taken = tryLock(path, now);
    if (taken.kind === "lock") return { ...taken, renewing: setInterval(renewLock, RENEW_MS, taken).unref() };
    // Not before: the clock costs Node.js 1 ms when it is first touched.
    deadline ??= performance.now() + options.waitMs;
    const left = deadline - performance.now();
    if (left <= 0) throw busy(taken, options.waitMs);
    await sleep(Math.min(pause, left));
  }
}

function sleep(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}

function busy({ path, holder, judgement }: LockBusy, waitedMs: number): CasError {
  const doubt =
    judgement === "unknown"
      ? ` (whether it is alive cannot be checked from here: ${explainHolder(holder).because})`
      : "";
  return new CasError({
    code: "LOCK_BUSY",
    lock: path,
    holder: `${describeHolder(holder)}${doubt}`,
    waitedMs,
  });
}
