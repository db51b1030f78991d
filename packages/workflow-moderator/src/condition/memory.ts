import { readFileSync } from "node:fs";

/** The limits of one evaluation in the evaluator process. */
export type Bounds = {
  readonly memoryMib: number;
  /** Of processor time. */
  readonly seconds: number;
  /** Wall clock, for a machine so busy that a second of processor time takes longer. */
  readonly patienceMs: number;
};

/** The kernel counts whole seconds. The engine's own limits count what is made: only a slow machine takes this long. */
const SECONDS_OF_CPU = 10;

const PATIENCE = 6;

const MIB = 1024 * 1024;

/** Memory in use; an idle runtime has 40 MiB, and what the engine's limits let an expression make takes less than the rest. */
const MEMORY_MIB = 512;

/** Extra memory for the history: bytes of memory per byte of JSON. */
const BYTES_PER_INPUT_BYTE = 8;

/** Extra time for the history: one second for this many bytes, the speed of a slow machine. */
const INPUT_BYTES_PER_SECOND = 16 * MIB;

/** By the size of the context's JSON text. */
export function boundsFor(inputLength: number): Bounds {
  const seconds = SECONDS_OF_CPU + Math.floor(inputLength / INPUT_BYTES_PER_SECOND);
  const memoryMib = MEMORY_MIB + Math.floor((inputLength * BYTES_PER_INPUT_BYTE) / MIB);
  return { memoryMib, seconds, patienceMs: seconds * PATIENCE * 1000 };
}

/** The polling interval; a process can fill about 5 MB in it. */
const LOOK_MS = 2;

type MemoryWatch = {
  /** Starts polling the process. */
  readonly watch: (pid: number) => void;
  /** Stops polling; returns whether the limit was exceeded. */
  readonly stop: () => boolean;
};

/**
 * Calls `onExceeded` once when the process has more than `limitKib` of memory in use. Only on systems with /proc: the
 * kernel's own limits count what a runtime reserves, which is 70 GB for a bun that does nothing.
 */
export function createMemoryWatch(limitKib: number, onExceeded: () => void): MemoryWatch {
  let timer: NodeJS.Timeout | null = null;
  let exceeded = false;
  const stop = (): boolean => {
    if (timer !== null) clearInterval(timer);
    timer = null;
    return exceeded;
  };
  const watch = (pid: number): void => {
    if (timer !== null) return;
    timer = setInterval(() => {
      if (residentKib(pid) <= limitKib) return;
      exceeded = true;
      stop();
      onExceeded();
    }, LOOK_MS);
  };
  return { watch, stop };
}

/** 0 for a process that has ended. */
function residentKib(pid: number): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, "latin1");
    return Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1] ?? 0);
  } catch {
    return 0;
  }
}
