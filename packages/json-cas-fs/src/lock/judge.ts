import { readFileSync, readlinkSync } from "node:fs";
import { errnoOf } from "../files/index.js";
import type { Judgement, LockRecord, Origin, Verdict } from "./types.js";

// Readers of Linux facts, mostly from /proc. On other systems each of them returns `null`.

type ProcessStat = { readonly state: string; readonly startTime: string };

/** Position of `starttime` counted from `state`, the first field after the process's name (proc(5): 22 and 3). */
const START_TIME = 19;

function readProc(path: string): string | null {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if (errnoOf(error) === null) throw error;
    return null;
  }
}

function processStat(pid: number): ProcessStat | null {
  const text = readProc(`/proc/${pid}/stat`);
  if (text === null) return null;
  // The name is in parentheses and may itself contain spaces and parentheses.
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  const state = fields[0];
  const startTime = fields[START_TIME];
  return state === undefined || startTime === undefined ? null : { state, startTime };
}

/** When a process started, in clock ticks since boot; `null` when there is no such process (or no /proc). */
export function processStartTime(pid: number): string | null {
  return processStat(pid)?.startTime ?? null;
}

/** `R`, `S`, `D`, `T`, `Z`, `X`…; `null` when there is no such process (or no /proc). */
export function processState(pid: number): string | null {
  return processStat(pid)?.state ?? null;
}

/** The start time of a process that still runs: a zombie (Z) or dead (X) one has none. */
export function livingStartTime(pid: number): string | null {
  const stat = processStat(pid);
  return stat === null || stat.state === "Z" || stat.state === "X" ? null : stat.startTime;
}

let boot: string | null = null;

/** Identity of this boot of the machine, which no process outlives. */
export function bootId(): string | null {
  boot ??= readProc("/proc/sys/kernel/random/boot_id")?.trim() ?? null;
  return boot;
}

let machine: string | null = null;

/** Identity of this installation of the system (32 hexadecimal digits), which every boot of it shares. */
export function machineId(): string | null {
  machine ??= readProc("/etc/machine-id")?.trim() ?? "";
  return /^[0-9a-f]{32}$/.test(machine) ? machine : null;
}

/** When this boot began, epoch ms. */
export function bootTime(): number | null {
  const seconds = /^btime (\d+)$/m.exec(readProc("/proc/stat") ?? "")?.[1];
  return seconds === undefined ? null : Number(seconds) * 1000;
}

let namespace: string | null = null;

/**
 * The pid namespace of this process, which it never leaves; in a time namespace also that clock's offset, because
 * process start times depend on it.
 */
export function pidNamespace(): string | null {
  namespace ??= readPidNamespace();
  return namespace;
}

function readPidNamespace(): string | null {
  try {
    return `${readlinkSync("/proc/self/ns/pid")}${shiftedClock()}`;
  } catch (error) {
    if (errnoOf(error) === null) throw error;
    return null;
  }
}

/** ` boottime:100000`; "" if the clock since boot is the machine's own. */
function shiftedClock(): string {
  const [, seconds = "0", nanoseconds = "0"] =
    /^boottime\s+(-?\d+)\s+(-?\d+)$/m.exec(readProc("/proc/self/timens_offsets") ?? "") ?? [];
  return Number(seconds) === 0 && Number(nanoseconds) === 0 ? "" : ` boottime:${seconds}.${nanoseconds}`;
}

let name: string | null = null;

/**
 * This machine's name, read once per process: after a rename, locks of running processes look like another
 * machine's. From /proc if possible: loading node:os costs bun 4 ms of every step.
 */
export function hostName(): string {
  name ??= readProc("/proc/sys/kernel/hostname")?.trim() ?? process.getBuiltinModule("node:os").hostname();
  return name;
}

/** The pid of a record that cannot be read; see `readLock`. */
export const UNREADABLE = 0;

/**
 * Whether the holder of a record still lives.
 * Dead: no living process of its host, boot and pid namespace has that pid and start time (zombies do not live), or it is
 * of an earlier boot of this machine. Unknown: whatever cannot be judged from here.
 * Without /proc (not Linux) only the pid is asked for, with kill(pid, 0): a reused pid then looks alive.
 */
export function judgeHolder(record: LockRecord): Judgement {
  return explainHolder(record).judgement;
}

/** `judgeHolder` with its reason. */
export function explainHolder(record: LockRecord): Verdict {
  if (record.pid === UNREADABLE) return judgeUnreadable(record);
  const origin = explainOrigin(record, record.acquiredAt);
  if (origin !== null) return origin;
  if (bootId() === null) return judgeByPid(record.pid);
  if (record.startTime === null) return verdict("unknown", "its record does not say when it was started");
  const startTime = livingStartTime(record.pid);
  if (startTime !== null) return startTime === record.startTime ? LIVES : GONE;
  // A zombie is seen and dead. A process that is not seen may be hidden from us (mount option hidepid).
  return processStartTime(record.pid) === null ? judgeByPid(record.pid) : GONE;
}

/** Whether the very process that took the lock lives, which a pid alone does not prove: only such a one is signalled. */
export function isProvedAlive(record: LockRecord): boolean {
  return explainHolder(record) === LIVES;
}

/**
 * What is known of a process of `origin`, started at `at` (epoch ms), without looking for the process; `null` if
 * its pid is valid here. Two machines of one image, or a pod and its successor, share a name: only a record that
 * names this machine and was written before the current boot is from an earlier boot of it.
 */
export function explainOrigin(origin: Origin, at: number): Verdict | null {
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
  return origin.machineId !== null && origin.machineId === machineId()
    ? verdict("dead", "this machine has been restarted since")
    : verdict("unknown", "it is from another boot, and whether it was on this machine is unknown");
}

function verdict(judgement: Judgement, because: string): Verdict {
  return { judgement, because };
}

const LIVES = verdict("alive", "a process with its pid and start time is running");
const GONE = verdict("dead", "no living process has its pid and start time");

/**
 * Records appear complete, so one that cannot be read lost its content in a power cut. If it is older than this
 * boot its holder is gone; otherwise somebody else wrote that file.
 */
function judgeUnreadable(record: LockRecord): Verdict {
  const boot = bootTime();
  return boot !== null && record.acquiredAt < boot
    ? verdict("dead", "its record cannot be read and is older than this boot")
    : verdict("unknown", "its record cannot be read");
}

function judgeByPid(pid: number): Verdict {
  try {
    process.kill(pid, 0);
    return verdict("alive", "a process has its pid");
  } catch (error) {
    // EPERM: it exists and belongs to somebody else.
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
