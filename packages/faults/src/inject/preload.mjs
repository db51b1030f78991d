// @ts-check
// `node --import` loads this into every Node.js process that a world starts. It counts the calls of uwf and
// of the agent that change the file system or another process, logs them, and at the chosen one kills the
// process or lets the call fail. The binaries use the synchronous calls of node:fs only; test/inject.test.ts
// compares with what strace sees.

import childProcess from "node:child_process";
import { EventEmitter } from "node:events";
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { basename } from "node:path";
import { plants } from "./plants.mjs";

/** @typedef {import("../inject.js").Plan} Plan */
/** @typedef {(...args: any[]) => any} Call */

/** @type {Plan} */
const plan = JSON.parse(process.env.UWF_FAULTS_INJECT ?? "{}");
const role =
  { uwf: "uwf", "uwf-mock": "agent", "uwf-agent-write": "agent" }[basename(process.argv[1] ?? "", ".js")] ??
  null;

// The calls as they were: what this module itself needs must not be counted.
const { existsSync, openSync, readlinkSync, writeSync } = fs;
const { O_CREAT, O_RDWR, O_WRONLY } = fs.constants;
const kill = process.kill.bind(process);

const CHANGES = [
  ...["appendFile", "chmod", "copyFile", "fchmod", "fdatasync", "fsync", "ftruncate", "futimes", "link"],
  ...["mkdir", "mkdtemp", "rename", "rm", "rmdir", "symlink", "truncate", "unlink", "utimes", "write"],
  "writeFile",
];
let count = 0;
/** Paths of open descriptors, for the log. @type {Map<unknown, string>} */
const paths = new Map([
  [0, "stdin"],
  [1, "stdout"],
  [2, "stderr"],
]);
const log = role === null || !plan.log ? null : openSync(plan.log, "a");

/** @param {Record<string, unknown>} line */
function tell(line) {
  if (log !== null) writeSync(log, `${JSON.stringify({ pid: process.pid, role, ...line })}\n`);
}

/** @param {unknown} flags */
function opensToRead(flags) {
  if (typeof flags !== "number") return /^rs?$/.test(String(flags));
  return (flags & (O_WRONLY | O_RDWR | O_CREAT)) === 0;
}

/** Whether a call gave a folder a name that it did not have. @param {string} name @param {unknown[]} args */
function creates(name, args) {
  if (name === "mkdir" || name === "open") return !existsSync(String(args[0]));
  return name === "link" || name === "rename" || name === "mkdtemp";
}

/** What a spawned program is told last. @param {unknown} words */
function lastWord(words) {
  return Array.isArray(words) ? String(words.at(-1)) : null;
}

/** @param {unknown} value */
function named(value) {
  return typeof value === "number" ? (paths.get(value) ?? `fd ${value}`) : String(value);
}

/** The other thing that a call is about. @param {string} name @param {unknown[]} args */
function secondOf(name, args) {
  if (name === "spawn") return lastWord(args[1]);
  if (args[0] === 1 && role === "agent") return readlinkSync("/proc/self/fd/1");
  if (name === "ftruncate") return String(args[1] ?? 0);
  return typeof args[1] === "string" && !name.startsWith("write") ? args[1] : null;
}

/** What is to be written. @param {any[]} args */
function bytesOf([, data, offset = 0, length = null]) {
  if (typeof data === "string") return Buffer.from(data);
  const start = data.byteOffset + (offset ?? 0);
  return Buffer.from(data.buffer, start, length ?? data.byteLength - (offset ?? 0));
}

/** Both die: an agent takes its uwf with it, which started it a moment ago and waits for it. */
function die(/** @type {boolean} */ both) {
  const parent = Number(process.env.UWF_FAULTS_PARENT);
  if (both && process.ppid === parent) kill(parent, "SIGKILL");
  kill(process.pid, "SIGKILL");
}

/** Runs one call as the plan wants it. @param {string} name @param {unknown[]} args @param {() => any} real */
function counted(name, args, real) {
  count += 1;
  const n = count;
  const isChosen = plan.role === role && plan.n === n;
  const line = {
    n,
    name,
    path: named(args[0]),
    to: secondOf(name, args),
    created: creates(name, args),
    data: name === "write" || name === "writeFile" ? bytesOf(args).toString("base64") : null,
  };
  if (!isChosen) return told(line, real);
  if (plan.act === "kill-before" || plan.act === "kill-both") {
    tell({ ...line, outcome: "killed" });
    die(plan.act === "kill-both");
  }
  if (plan.act === "short") return told(line, () => shortened(args));
  if (plan.act !== "kill-after" && plan.act !== "kill-child")
    return told(line, () => refused(name, args, plan.act));
  const result = real();
  tell({ ...line, outcome: "killed" });
  if (plan.act === "kill-child") kill(result.pid, "SIGKILL");
  else die(false);
  return result;
}

/** @param {Record<string, unknown>} line @param {() => any} real */
function told(line, real) {
  try {
    const result = real();
    tell({ ...line, outcome: "done" });
    return result;
  } catch (error) {
    tell({ ...line, outcome: /** @type {NodeJS.ErrnoException} */ (error).code ?? String(error) });
    throw error;
  }
}

/** Half of what was to be written, one byte at least. @param {any[]} args */
function shortened([fd, data, offset = 0, length = null]) {
  const bytes = typeof data === "string" ? Buffer.from(data) : data.subarray(offset);
  const whole = typeof data === "string" ? bytes.length : (length ?? bytes.length);
  return writeSync(fd, bytes, 0, Math.max(1, Math.floor(whole / 2)));
}

const REASONS = /** @type {Record<string, string>} */ ({
  ENOSPC: "no space left on device",
  EIO: "i/o error",
  EACCES: "permission denied",
  EMFILE: "too many open files",
});

/** @param {string} name @param {unknown[]} args @param {string} code */
function refused(name, args, code) {
  const where = typeof args[0] === "string" ? ` '${args[0]}'` : "";
  const error = Object.assign(new Error(`${code}: ${REASONS[code]}, ${name}${where}`), {
    code,
    syscall: name,
  });
  if (name !== "spawn" || code === "ENOSPC" || code === "EIO") throw error;
  // These two Node.js tells by an event; a child without a pid is what its caller gets first.
  const child = Object.assign(new EventEmitter(), { stdin: null, stdout: null, stderr: null, unref() {} });
  process.nextTick(() => child.emit("error", error));
  return child;
}

/** @param {any} owner @param {string} key @param {string} name */
function patch(owner, key, name) {
  const real = /** @type {Call} */ (owner[key]).bind(owner);
  owner[key] = (/** @type {unknown[]} */ ...args) => counted(name, args, () => real(...args));
}

if (role !== null) {
  for (const name of CHANGES) patch(fs, `${name}Sync`, name);
  patch(childProcess, "spawn", "spawn");
  const signal = process.kill.bind(process);
  process.kill = (...args) =>
    args[1] === 0 ? signal(...args) : counted("kill", args, () => signal(...args));
  fs.openSync = (...args) => {
    const open = () => openSync(...args);
    const fd = opensToRead(args[1] ?? "r") ? open() : counted("open", args, open);
    paths.set(fd, String(args[0]));
    return fd;
  };
  if (role === "uwf") process.env.UWF_FAULTS_PARENT = String(process.pid);
  plants[plan.plant ?? ""]?.(fs);
  const end = { name: "exit", to: null, created: false, data: null, outcome: "done" };
  process.on("exit", (code) => tell({ ...end, n: count, path: String(code) }));
  syncBuiltinESMExports();
}
