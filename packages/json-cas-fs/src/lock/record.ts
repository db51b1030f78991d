import { closeSync, fstatSync, lstatSync } from "node:fs";
import { dirname } from "node:path";
import { isObject, LAST_TIME } from "@uncaged/json-cas";
import { errnoOf, guarded, isNotRegular, openRegular, readWithin, uniqueName } from "../files/index.js";
import {
  asPlace,
  bootId,
  bootTime,
  type FolderIdentity,
  type FoundLock,
  hostName,
  isCopied,
  isOriginalThere,
  type Judgement,
  type LockRecord,
  livingStartTime,
  machineId,
  type Origin,
  pidNamespace,
  processStartTime,
  type Verdict,
} from "./machine.js";

let ownStart: string | null = null;

/** A new record of this process, for a lock in that place. */
export function ownRecord(now: number, place: FolderIdentity | null): LockRecord {
  ownStart ??= processStartTime(process.pid);
  const nonce = uniqueName();
  return { pid: process.pid, startTime: ownStart, ...ownOrigin(), place, nonce, acquiredAt: now };
}

/** Where this process runs. */
export function ownOrigin(): Origin & Pick<LockRecord, "host"> {
  return { bootId: bootId(), host: hostName(), machineId: machineId(), pidNamespace: pidNamespace() };
}

/**
 * The record in a lock file; `null` if there is no such file. A file without a record is returned as one with pid
 * 0, its modification time, and a nonce derived from the file's identity, so that it can be checked and broken
 * too.
 */
export function readLock(path: string): FoundLock | null {
  return guarded("read", path, () => {
    try {
      return readFound(path) ?? unreadable(path);
    } catch (error) {
      const errno = errnoOf(error);
      if (errno === "ENOENT" || errno === "ENOTDIR") return null;
      if (isNotRegular(error)) return unreadable(path);
      throw error;
    }
  });
}

function readFound(path: string): FoundLock | null {
  const fd = openRegular(path, "refused");
  try {
    // A record has some hundred bytes; a longer file holds none.
    const record = parseRecord(readWithin(fd, 64 * 1024)?.toString("utf8") ?? "");
    return record === null ? null : { ...record, foundIn: dirname(path), renewedAt: fstatSync(fd).mtimeMs };
  } finally {
    closeSync(fd);
  }
}

function unreadable(path: string): FoundLock | null {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (stat === undefined) return null;
  const { ino, mtimeMs } = stat;
  const nonce = `unreadable-${ino.toString(36)}-${Math.floor(mtimeMs).toString(36)}`;
  const process = { pid: UNREADABLE, startTime: null, bootId: null, host: "", machineId: null };
  const times = { acquiredAt: mtimeMs, renewedAt: mtimeMs };
  return { ...process, pidNamespace: null, place: null, nonce, ...times, foundIn: dirname(path) };
}

/** Validates the content of a lock file. */
export function parseRecord(text: string): LockRecord | null {
  const value = parseJson(text);
  if (!isObject(value)) return null;
  const { pid, startTime, host, pidNamespace: namespace, nonce, acquiredAt } = value;
  // Older records have no machine.
  const { bootId: boot, machineId: machine = null } = value;
  if (typeof pid !== "number" || !Number.isSafeInteger(pid) || pid <= 0) return null;
  // It becomes part of a file name.
  if (typeof nonce !== "string" || !/^[0-9A-Za-z-]{1,64}$/.test(nonce)) return null;
  if (typeof host !== "string" || typeof acquiredAt !== "number" || Math.abs(acquiredAt) > LAST_TIME)
    return null;
  if (!isTextOrNull(startTime) || !isTextOrNull(boot) || !isTextOrNull(namespace)) return null;
  if (!isTextOrNull(machine)) return null;
  const origin = { host, bootId: boot, machineId: machine, pidNamespace: namespace };
  return { pid, startTime, ...origin, place: asPlace(value.place), nonce, acquiredAt };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function isTextOrNull(value: unknown): value is string | null {
  return value === null || typeof value === "string";
}

/** How often a holder renews its lock, in ms. */
export const RENEW_MS = 5_000;

/**
 * A lock that was renewed within this many ms counts as held, even if its holder seems dead: several times
 * `RENEW_MS`.
 */
const FRESH_MS = 60_000;

/** The pid of a record that cannot be read; see `readLock`. */
export const UNREADABLE = 0;

/**
 * Whether the holder of a record still lives.
 * Dead: no living process of its host, boot and pid namespace has that pid and start time (zombies do not live), or it is
 * of an earlier boot of this machine. Unknown: whatever cannot be judged from here.
 * Without /proc (not Linux) only the pid is asked for, with kill(pid, 0): a reused pid then looks alive.
 */
export function classifyHolder(record: FoundLock, now: number = Date.now()): Judgement {
  return explainHolder(record, now).judgement;
}

/**
 * `classifyHolder` with its reason. `now`: epoch ms, best by the clock of the file system that has the lock, which is not
 * always this machine's.
 */
export function explainHolder(record: FoundLock, now: number = Date.now()): Verdict {
  if (record.pid === UNREADABLE) return classifyUnreadable(record);
  const origin = explainOrigin(record, record.acquiredAt, record.renewedAt, now);
  if (origin !== null) return origin;
  const verdict = classifyProcess(record);
  return verdict === GONE || !isCopied(record, record.foundIn) ? verdict : classifyCopied(record);
}

/** What holds the lock in one folder holds nothing in its copy. */
function classifyCopied(record: FoundLock): Verdict {
  const from = `its record was made in ${record.place?.folder}, of which this is a copy`;
  return isOriginalThere(record)
    ? verdict("dead", `${from}: process ${record.pid} holds the lock there`)
    : verdict("unknown", `${from}, and which is there no longer`);
}

function classifyProcess(record: LockRecord): Verdict {
  if (bootId() === null) return classifyByPid(record.pid);
  if (record.startTime === null) return verdict("unknown", "its record does not say when it was started");
  const startTime = livingStartTime(record.pid);
  if (startTime !== null) return startTime === record.startTime ? LIVES : GONE;
  // A zombie is seen and dead. A process that is not seen may be hidden from us (mount option hidepid).
  return processStartTime(record.pid) === null ? classifyByPid(record.pid) : GONE;
}

/** Whether the very process that took the lock lives, which a pid alone does not prove: only such a one is signalled. */
export function isProvedAlive(record: FoundLock): boolean {
  return explainHolder(record) === LIVES;
}

/**
 * What is known of a process of `origin`, started at `at` (epoch ms), without looking for the process; `null` if
 * its pid is valid here. Two machines of one image, or a pod and its successor, share a name: only a record that
 * names this machine and was written before the current boot is from an earlier boot of it. Machines of one image may
 * share their id, too: a holder that renewed its lock (`renewedAt`, epoch ms) within the last minute counts as one of this boot.
 */
export function explainOrigin(
  origin: Origin,
  at: number,
  renewedAt: number,
  now: number = Date.now(),
): Verdict | null {
  if (origin.host !== null && origin.host !== hostName()) {
    return verdict("unknown", `it is on another host than this, ${hostName()}`);
  }
  if (origin.pidNamespace !== null && origin.pidNamespace !== pidNamespace()) {
    return verdict("unknown", "it is in another pid namespace, such as a container");
  }
  const boot = bootId();
  if (origin.bootId === boot) return null;
  if (origin.bootId === null || boot === null) return verdict("unknown", "its record does not name its boot");
  const began = bootTime();
  if (began === null || at >= began) {
    return verdict("unknown", "it is from another boot that began after ours: another machine of this name");
  }
  if (origin.machineId === null || origin.machineId !== machineId())
    return verdict("unknown", "it is from another boot, and whether it was on this machine is unknown");
  if (now - renewedAt < FRESH_MS) {
    return verdict(
      "unknown",
      "it is from an earlier boot, but gave a sign of life less than a minute ago: either this machine has just been restarted, or another one has its name and its id",
    );
  }
  return verdict("dead", "this machine has been restarted since");
}

function verdict(judgement: Judgement, because: string): Verdict {
  return { judgement, because };
}

const LIVES = verdict("alive", "a process with its pid and start time is running");
const GONE = verdict("dead", "no living process has its pid and start time");

/**
 * Records appear complete, so one that cannot be read lost its content in a power cut. If it is older than this
 * boot its holder is gone; otherwise another program wrote that file.
 */
function classifyUnreadable(record: LockRecord): Verdict {
  const boot = bootTime();
  return boot !== null && record.acquiredAt < boot
    ? verdict("dead", "its record cannot be read and is older than this boot")
    : verdict("unknown", "its record cannot be read");
}

function classifyByPid(pid: number): Verdict {
  try {
    process.kill(pid, 0);
    return verdict("alive", "a process has its pid");
  } catch (error) {
    // EPERM: the process exists and belongs to another user.
    return errnoOf(error) === "ESRCH"
      ? verdict("dead", "no process has its pid")
      : verdict("alive", "a process of another user has its pid");
  }
}

/** `pid 123 on host x since 2025-01-31T08:00:00.000Z`. */
export function describeHolder(record: LockRecord): string {
  const since = `since ${new Date(record.acquiredAt).toISOString()}`;
  return record.pid === UNREADABLE
    ? `an unreadable record ${since}`
    : `pid ${record.pid} on host ${record.host} ${since}`;
}
