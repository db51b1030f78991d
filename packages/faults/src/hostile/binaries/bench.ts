import type { ChildProcess } from "node:child_process";
import { readFileSync } from "node:fs";
import { performance } from "node:perf_hooks";
import type { Session } from "../../frame.js";
import { ended, type Ran, type RunOptions, type World } from "../../world.js";
import { mannersOf } from "../manners.js";

type Cost = {
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
async function measured(child: ChildProcess): Promise<Ran & Cost> {
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

/** Section 11 of the contract, in processor time: how busy the machine is with other things is no fault of ours. */
const SLOW_MS = 2_000;
const SLOW_IN_SAMPLE_MS = 10_000;

/** Wall clock: nobody works any more. */
const HANG_MS = 60_000;

const LARGE_MB = 300;
const RETRIES = 3;

/** A world in which every command's manners, time and memory are watched. */
export type Bench = {
  readonly session: Session;
  readonly world: World;
  /** A command that may be repeated: where it takes too long, it is, and only what is slow every time counts. */
  readonly run: (args: readonly string[], options?: RunOptions) => Promise<Ran>;
  /** A command that changes what the next one does. */
  readonly once: (args: readonly string[], options?: RunOptions) => Promise<Ran>;
  /** Says that a promise is broken by this command. */
  readonly broken: (promise: string, args: readonly string[], ran: Ran, seen: string) => void;
  readonly records: Records;
};

/** The highest figures of all rounds. */
export type Records = { slowestMs: number; peakMb: number };

export function openBench(session: Session, world: World, records: Records): Bench {
  const slowMs = session.level === "sample" ? SLOW_IN_SAMPLE_MS : SLOW_MS;
  const broken: Bench["broken"] = (promise, args, ran, seen) => {
    const said = `exit ${ran.code ?? ran.signal}, stderr ${JSON.stringify(ran.stderr.slice(-600))}`;
    session.broken(promise, `seed ${session.seed}, uwf ${shown(args)}: ${seen}; ${said}`);
  };
  const once = async (args: readonly string[], options: RunOptions = {}): Promise<Ran & Cost> => {
    const ran = await measured(world.start(args, options));
    session.count("commands of real binaries");
    records.slowestMs = Math.max(records.slowestMs, ran.cpuMs);
    records.peakMb = Math.max(records.peakMb, ran.peakMb);
    for (const wrong of mannersOf(args, ran))
      broken("hostile input is answered with manners", args, ran, wrong);
    if (ran.peakMb > LARGE_MB) broken("nothing takes more than 300 MB", args, ran, `${ran.peakMb} MB`);
    if (ran.ms > HANG_MS) broken("nothing hangs", args, ran, `${ran.ms} ms`);
    return ran;
  };
  const run: Bench["run"] = async (args, options = {}) => {
    const first = await once(args, options);
    let best = first.cpuMs;
    for (let retry = 0; best > slowMs && retry < RETRIES; retry += 1) {
      best = Math.min(best, (await once(args, options)).cpuMs);
    }
    if (best > slowMs) broken("nothing takes more than 2 s", args, first, `${best} ms at best`);
    return first;
  };
  return { session, world, run, once, broken, records };
}

function shown(args: readonly string[]): string {
  return args.map((word) => JSON.stringify(word.length > 120 ? `${word.slice(0, 120)}…` : word)).join(" ");
}
