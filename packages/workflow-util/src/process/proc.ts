import { existsSync, readdirSync, readFileSync } from "node:fs";

// /proc is Linux. On other systems every reader here returns `null` or nothing, and the callers say what they do
// instead.

export type ProcessStat = {
  readonly pid: number;
  readonly state: string;
  readonly group: number;
  /** A thread of the kernel itself: it has no program and no environment. */
  readonly kernel: boolean;
  /** Clock ticks since boot, as the kernel prints them. */
  readonly startTime: string;
};

/** PF_KTHREAD of the flags in a stat line. */
const KERNEL_THREAD = 0x0020_0000;

/** Far longer than an exec(2) takes on a busy machine. */
const EXEC_LOOKS = 200;

/** So often in a row a process must show arguments and no environment to be believed. */
const SETTLED_LOOKS = 5;

export const HAS_PROC: boolean = existsSync("/proc/self/stat");

/**
 * `pid (name) state ppid pgrp session … starttime …`: the name may hold blanks and brackets,
 * so the fields are counted from the last `)`.
 */
function parseStat(line: string): ProcessStat | null {
  const close = line.lastIndexOf(")");
  const fields = line.slice(close + 2).split(" ");
  const pid = Number.parseInt(line, 10);
  const [state, , group, , , , flags] = fields;
  const startTime = fields[19];
  if (close < 0 || !Number.isSafeInteger(pid) || state === undefined || startTime === undefined) return null;
  return { pid, state, group: Number(group), kernel: (Number(flags) & KERNEL_THREAD) !== 0, startTime };
}

export function readStat(pid: number): ProcessStat | null {
  const line = readOrNull(`/proc/${pid}/stat`);
  return line === null ? null : parseStat(line);
}

/** A zombie is a record of a process, not a process. */
export function isLiving(stat: ProcessStat): boolean {
  return stat.state !== "Z" && stat.state !== "X";
}

export function listPids(): readonly number[] {
  try {
    return readdirSync("/proc").filter(isNumber).map(Number);
  } catch {
    return [];
  }
}

/** Whether the process was started with exactly this variable; unknown for a process of another user. */
export function hasVariable(stat: ProcessStat, name: string, value: string): boolean {
  const environ = stat.kernel ? null : readEnviron(stat.pid);
  if (environ === null) return false;
  const entry = Buffer.from(`${name}=${value}`, "utf8").toString("latin1");
  return `\0${environ}\0`.includes(`\0${entry}\0`);
}

// In the middle of exec(2) a process has neither arguments nor environment yet. Taken for its environment,
// that would hide a member of a run, so it is read again until exec is through.
function readEnviron(pid: number): string | null {
  const path = `/proc/${pid}/environ`;
  let settled = 0;
  for (let look = 0; look < EXEC_LOOKS; look += 1) {
    const environ = readOrNull(path);
    if (environ !== "") return environ;
    const stat = readStat(pid);
    if (stat === null || !isLiving(stat)) return null;
    // With arguments and without an environment it is through, unless it is in its next exec(2) already.
    settled = readOrNull(`/proc/${pid}/cmdline`) === "" ? 0 : settled + 1;
    if (settled === SETTLED_LOOKS) return environ;
    if (settled === 0) nap();
  }
  return null;
}

function nap(): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1);
}

function isNumber(name: string): boolean {
  return /^[0-9]+$/.test(name);
}

// latin1 keeps the bytes of an environment as they are.
function readOrNull(path: string): string | null {
  try {
    return readFileSync(path, "latin1");
  } catch {
    return null;
  }
}
