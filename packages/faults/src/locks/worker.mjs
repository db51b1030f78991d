// Reads one operation on a lock per line of stdin, as JSON, and answers each with a JSON line. Plain JavaScript:
// it runs on both runtimes without a build.
//
//   {do: "break", path, at}            tries once at that moment, keeps the lock
//   {do: "release"}                    releases it
//   {do: "die", path, at, call}        tries, and dies by SIGKILL at that file system call, at the latest at the end

import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { createInterface } from "node:readline";

/**
 * @typedef {{ readonly kind: "lock", readonly path: string }} Held
 * @typedef {{ readonly path: string, readonly at: number, readonly call: number }} Wish
 * @typedef {{ tryLock: (path: string) => Held | { readonly kind: "busy" }, releaseLock: (held: Held) => void }} Library
 */

/** @type {Library} */
const { tryLock, releaseLock } = await import(process.argv[2] ?? "");

/** What taking a lock can call; a call that is not used does no harm here. */
const CALLS = ["openSync", "writeSync", "closeSync", "linkSync", "unlinkSync", "readFileSync", "readdirSync"];

/** @type {Record<string, any>} */
const calls = fs;

const clock = new Int32Array(new SharedArrayBuffer(4));
/** @type {Held | null} */
let held = null;

/** @param {number} at epoch ms */
function waitUntil(at) {
  const left = at - Date.now();
  if (left > 0) Atomics.wait(clock, 0, 0, left);
}

/**
 * Whoever is inside leaves a file that only one can make; a second one has found an overlap.
 * @param {string} path
 */
function enter(path) {
  try {
    fs.closeSync(fs.openSync(`${path}.inside`, "wx"));
    return true;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EEXIST") return false;
    throw error;
  }
}

/** @param {string} path */
function leave(path) {
  fs.rmSync(`${path}.inside`, { force: true });
}

/** @param {Wish} wish */
function breakOnce({ path, at }) {
  waitUntil(at);
  const taken = tryLock(path);
  if (taken.kind !== "lock") return { kind: "busy" };
  held = taken;
  return { kind: "lock", alone: enter(path) };
}

function release() {
  if (held !== null) {
    leave(held.path);
    releaseLock(held);
    held = null;
  }
  return { kind: "released" };
}

/** @param {Wish} wish */
function die({ path, at, call }) {
  let left = call;
  for (const name of CALLS) {
    const real = calls[name];
    calls[name] = (/** @type {unknown[]} */ ...args) => {
      left -= 1;
      if (left === 0) process.kill(process.pid, "SIGKILL");
      return real(...args);
    };
  }
  syncBuiltinESMExports();
  waitUntil(at);
  tryLock(path);
  process.kill(process.pid, "SIGKILL");
}

/** @type {Record<string, (wish: Wish) => object | void>} */
const ACTS = { break: breakOnce, release, die };

const say = (/** @type {object} */ answer) => process.stdout.write(`${JSON.stringify(answer)}\n`);
say({ kind: "ready" });
for await (const line of createInterface({ input: process.stdin })) {
  const wish = JSON.parse(line);
  say(ACTS[wish.do]?.(wish) ?? { kind: "what?" });
}
