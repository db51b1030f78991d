// The lock as one would write it first: whoever sees a dead record removes it by name and puts his own there. Between
// the look and the removal somebody else may have done the same; here that moment is long enough to be seen.

import { linkSync, readFileSync, rmSync, writeFileSync } from "node:fs";

const clock = new Int32Array(new SharedArrayBuffer(4));

/** @param {string} path */
export function tryLock(path) {
  const nonce = `${process.pid}-${Math.random().toString(36).slice(2)}`;
  if (place(path, nonce)) return { kind: "lock", path, nonce };
  if (isHeld(path)) return { kind: "busy" };
  Atomics.wait(clock, 0, 0, 10 * Math.random());
  rmSync(path, { force: true });
  return place(path, nonce) ? { kind: "lock", path, nonce } : { kind: "busy" };
}

/** @param {{ path: string, nonce: string }} lock */
export function releaseLock({ path, nonce }) {
  if (readRecord(path)?.nonce === nonce) rmSync(path, { force: true });
}

/**
 * @param {string} path
 * @param {string} nonce
 */
function place(path, nonce) {
  const temporary = `${path}.${nonce}.tmp`;
  const record = { pid: process.pid, nonce, host: "here", acquiredAt: 0, startTime: null, bootId: null };
  writeFileSync(temporary, JSON.stringify({ ...record, pidNamespace: null }));
  try {
    linkSync(temporary, path);
    return true;
  } catch {
    return false;
  } finally {
    rmSync(temporary);
  }
}

/** @param {string} path */
function isHeld(path) {
  const record = readRecord(path);
  return record?.host === "here" && isLiving(record.pid);
}

/** @param {string} path */
function readRecord(path) {
  try {
    return JSON.parse(readFileSync(path, "utf8"));
  } catch {
    return null;
  }
}

/** @param {number} pid */
function isLiving(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
