import type { ChildProcess } from "node:child_process";
import { readFileSync } from "node:fs";
import { performance } from "node:perf_hooks";
import { ended, type Ran } from "../../world/index.js";

export type Cost = {
  /** Wall clock. */
  readonly ms: number;
  /** Processor time of all its processes. */
  readonly cpuMs: number;
  /** The largest resident set that a process of the command had, in MB; 0 without /proc. */
  readonly peakMb: number;
};

const LOOK_MS = 10;

/** USER_HZ is 100 wherever Linux runs. */
const TICK_MS = 10;

/** What a command said, and what it and every process below it cost. */
export async function measured(child: ChildProcess): Promise<Ran & Cost> {
  const started = performance.now();
  let peakKib = 0;
  const ticks = new Map<number, number>();
  const look = (): void => {
    for (const pid of familyOf(child.pid ?? 0)) {
      peakKib = Math.max(peakKib, peakOf(pid));
      ticks.set(pid, Math.max(ticks.get(pid) ?? 0, ticksOf(pid)));
    }
  };
  const timer = setInterval(look, LOOK_MS);
  try {
    const ran = await ended(child);
    const cpuMs = TICK_MS * [...ticks.values()].reduce((sum, each) => sum + each, 0);
    const ms = Math.round(performance.now() - started);
    return { ...ran, ms, cpuMs, peakMb: Math.round(peakKib / 1024) };
  } finally {
    clearInterval(timer);
  }
}

/** The process and its descendants. */
function familyOf(pid: number): readonly number[] {
  if (pid === 0) return [];
  const children = read(`/proc/${pid}/task/${pid}/children`).split(" ").filter(Boolean).map(Number);
  return [pid, ...children.flatMap(familyOf)];
}

/** The high water mark in KiB. */
function peakOf(pid: number): number {
  return Number(/^VmHWM:\s+(\d+)/m.exec(read(`/proc/${pid}/status`))?.[1] ?? 0);
}

/** User and system time: fields 14 and 15 of /proc/PID/stat, the 12th and 13th after the name. */
function ticksOf(pid: number): number {
  const text = read(`/proc/${pid}/stat`);
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  return Number(fields[11] ?? 0) + Number(fields[12] ?? 0);
}

function read(path: string): string {
  try {
    return readFileSync(path, "latin1");
  } catch {
    return "";
  }
}
