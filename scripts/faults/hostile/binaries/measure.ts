import type { ChildProcess } from "node:child_process";
import { readFileSync } from "node:fs";
import { performance } from "node:perf_hooks";
import { ended, type Ran } from "../../world/index.js";

export type Cost = {
  readonly ms: number;
  /** The largest resident set that a process of the command had, in MB; 0 without /proc. */
  readonly peakMb: number;
};

const LOOK_MS = 10;

/** What a command said, and what it and every process below it cost. */
export async function measured(child: ChildProcess): Promise<Ran & Cost> {
  const started = performance.now();
  let peakKib = 0;
  const look = (): void => {
    for (const pid of familyOf(child.pid ?? 0)) peakKib = Math.max(peakKib, peakOf(pid));
  };
  const timer = setInterval(look, LOOK_MS);
  try {
    const ran = await ended(child);
    return { ...ran, ms: Math.round(performance.now() - started), peakMb: Math.round(peakKib / 1024) };
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

function read(path: string): string {
  try {
    return readFileSync(path, "latin1");
  } catch {
    return "";
  }
}
