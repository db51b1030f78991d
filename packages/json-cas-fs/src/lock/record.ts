import { closeSync, fstatSync, lstatSync } from "node:fs";
import { dirname } from "node:path";
import { errnoOf, guarded, isNotRegular, openRegular, readWithin, uniqueName } from "../files/index.js";
import { asPlace } from "./folder-identity.js";
import { UNREADABLE } from "./judge.js";
import { bootId, hostName, machineId, pidNamespace, processStartTime } from "./machine.js";
import type { FolderIdentity, FoundLock, LockRecord, Origin } from "./types.js";

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
  const nonce = `unreadable-${stat.ino.toString(36)}-${Math.floor(stat.mtimeMs).toString(36)}`;
  const nobody = {
    startTime: null,
    bootId: null,
    host: "",
    machineId: null,
    pidNamespace: null,
    place: null,
  };
  const { mtimeMs } = stat;
  return {
    pid: UNREADABLE,
    ...nobody,
    nonce,
    acquiredAt: mtimeMs,
    foundIn: dirname(path),
    renewedAt: mtimeMs,
  };
}

/** Validates the content of a lock file. */
export function parseRecord(text: string): LockRecord | null {
  const value = parseJson(text);
  if (typeof value !== "object" || value === null) return null;
  const {
    pid,
    startTime,
    bootId: boot,
    host,
    // Older records have none.
    machineId: machine = null,
    pidNamespace: namespace,
    place,
    nonce,
    acquiredAt,
  } = value as Partial<Record<keyof LockRecord, unknown>>;
  if (!isPid(pid) || !isNonce(nonce) || typeof host !== "string" || !isTime(acquiredAt)) return null;
  if (!isTextOrNull(startTime) || !isTextOrNull(boot) || !isTextOrNull(namespace)) return null;
  if (!isTextOrNull(machine)) return null;
  return {
    pid,
    startTime,
    bootId: boot,
    host,
    machineId: machine,
    pidNamespace: namespace,
    place: asPlace(place),
    nonce,
    acquiredAt,
  };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function isPid(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) > 0;
}

/** It becomes part of a file name. */
function isNonce(value: unknown): value is string {
  return typeof value === "string" && /^[0-9A-Za-z-]{1,64}$/.test(value);
}

function isTime(value: unknown): value is number {
  return typeof value === "number" && Math.abs(value) <= 8.64e15;
}

function isTextOrNull(value: unknown): value is string | null {
  return value === null || typeof value === "string";
}
