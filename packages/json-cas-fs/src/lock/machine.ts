import { readFileSync, readlinkSync } from "node:fs";
import { errnoOf } from "../files/index.js";

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
