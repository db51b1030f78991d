import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";

/** A program and its arguments, started as a process of its own. */
export type Command = readonly [program: string, ...args: string[]];

/** One thing that is timed as a whole process. */
export type Subject = {
  readonly name: string;
  readonly command: Command;
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  /** Brings the world back to where every run begins; not timed. */
  readonly prepare: () => void;
};

/** Wall times of whole processes, in ms. */
export type Figures = {
  readonly name: string;
  readonly runs: number;
  readonly medianMs: number;
  readonly minMs: number;
  readonly maxMs: number;
  /** The most memory that one had, in MB, without its children; `null` where the system does not tell. */
  readonly peakMb: number | null;
};

const MEMORY_ROUNDS = 3;

/**
 * Times all subjects in turn, again and again: whatever else the machine does hits all of them alike. Every round begins
 * with another one: who always came behind the same other would always find the caches as that left them. The first
 * round warms up and does not count. Memory is looked at in rounds of its own, since looking takes time.
 */
export async function interleave(subjects: readonly Subject[], rounds: number): Promise<readonly Figures[]> {
  const runs = subjects.map((subject) => ({ subject, times: [] as number[], peaks: [] as number[] }));
  for (let round = 0; round <= rounds; round += 1) {
    const first = round % Math.max(runs.length, 1);
    for (const { subject, times } of [...runs.slice(first), ...runs.slice(0, first)]) {
      const { ms } = await runOnce(subject, false);
      if (round > 0) times.push(ms);
    }
  }
  for (let round = 0; round < MEMORY_ROUNDS; round += 1)
    for (const { subject, peaks } of runs) peaks.push((await runOnce(subject, true)).peakMb);
  return runs.map(({ subject: { name }, times, peaks }) => {
    times.sort((a, b) => a - b);
    const [peak, minMs = 0, maxMs = 0] = [Math.max(...peaks), times[0], times.at(-1)];
    return {
      name,
      runs: times.length,
      medianMs: median(times),
      minMs,
      maxMs,
      peakMb: peak > 0 ? peak : null,
    };
  });
}

/** Of sorted numbers. */
export function median(sorted: readonly number[]): number {
  const middle = sorted.length / 2;
  const upper = sorted[Math.floor(middle)] ?? 0;
  return Number.isInteger(middle) ? (upper + (sorted[middle - 1] ?? upper)) / 2 : upper;
}

/** Between two looks at a process's memory, in ms: the peak is kept by the kernel, so only the last look counts. */
const LOOK_MS = 3;

/** Starts the subject's command and waits for its end. Throws when it fails: a fast failure is no measurement. */
function runOnce({ name, command, env, cwd, prepare }: Subject, watchMemory: boolean) {
  prepare();
  const [program, ...args] = command;
  const started = performance.now();
  const child = spawn(program, args, { env, cwd, stdio: ["ignore", "ignore", "pipe"] });
  let peakMb = 0;
  const look = (): void => {
    peakMb = Math.max(peakMb, peakOf(child.pid));
  };
  const timer = watchMemory ? setInterval(look, LOOK_MS) : null;
  const words: Buffer[] = [];
  child.stderr.on("data", (chunk: Buffer) => words.push(chunk));
  return new Promise<{ readonly ms: number; readonly peakMb: number }>((resolve, reject) => {
    child.on("error", reject);
    child.on("exit", (code, signal) => {
      const ms = performance.now() - started;
      if (timer !== null) clearInterval(timer);
      if (code === 0) resolve({ ms, peakMb });
      else
        reject(new Error(`${name} ended with ${code ?? signal}: ${Buffer.concat(words).toString("utf8")}`));
    });
  });
}

/** VmHWM in MB; 0: the process is gone, or the system has no /proc. */
function peakOf(pid: number | undefined): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, "utf8");
    return Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0) / 1024;
  } catch {
    return 0;
  }
}
