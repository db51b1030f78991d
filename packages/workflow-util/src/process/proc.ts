import { existsSync, readdirSync, readFileSync } from "node:fs";

// /proc is Linux. Elsewhere every reader here gives `null` or nothing, and the callers say what they do instead.

export type ProcessStat = {
  readonly pid: number;
  readonly state: string;
  readonly group: number;
  /** Clock ticks since boot, as the kernel prints them. */
  readonly startTime: string;
};

export const HAS_PROC: boolean = existsSync("/proc/self/stat");

/**
 * `pid (name) state ppid pgrp session … starttime …`: the name may hold blanks and brackets,
 * so the fields are counted from the last `)`.
 */
export function parseStat(line: string): ProcessStat | null {
  const close = line.lastIndexOf(")");
  const fields = line.slice(close + 2).split(" ");
  const pid = Number.parseInt(line, 10);
  const [state, , group] = fields;
  const startTime = fields[19];
  if (close < 0 || !Number.isSafeInteger(pid) || state === undefined || startTime === undefined) return null;
  return { pid, state, group: Number(group), startTime };
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

/** Whether the process was started with exactly this variable; a process of another user tells nothing. */
export function hasVariable(pid: number, name: string, value: string): boolean {
  const environ = readOrNull(`/proc/${pid}/environ`);
  if (environ === null) return false;
  const entry = Buffer.from(`${name}=${value}`, "utf8").toString("latin1");
  return `\0${environ}\0`.includes(`\0${entry}\0`);
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
