import { readFileSync } from "node:fs";

/** What one evaluation in a process of its own may take. */
export type Bounds = {
  readonly memoryMib: number;
  /** Of processor time. */
  readonly seconds: number;
  /** Wall clock, for a machine so busy that a second of processor time takes longer. */
  readonly patienceMs: number;
};

/** The kernel counts whole seconds; with the start of the process it has to stay below the 2 s that a step may lose. */
const SECONDS_OF_CPU = 1;

const PATIENCE = 10;

const MIB = 1024 * 1024;

/** Memory in use; an idle runtime has 40 MiB. */
const MEMORY_MIB = 192;

/** The history itself is no fault of the expression's: so many bytes of memory for each of its bytes. */
const BYTES_PER_INPUT_BYTE = 8;

/** The same for the time: a second more for so many bytes, which a slow machine parses in it. */
const INPUT_BYTES_PER_SECOND = 16 * MIB;

/** By the size of the context's JSON text. */
export function boundsFor(inputLength: number): Bounds {
  const seconds = SECONDS_OF_CPU + Math.floor(inputLength / INPUT_BYTES_PER_SECOND);
  const memoryMib = MEMORY_MIB + Math.floor((inputLength * BYTES_PER_INPUT_BYTE) / MIB);
  return { memoryMib, seconds, patienceMs: seconds * PATIENCE * 1000 };
}

/** So often is looked; in that time a process can fill some 5 MB. */
const LOOK_MS = 2;

type MemoryWatch = {
  /** Starts to look at the process. */
  readonly watch: (pid: number) => void;
  /** Stops looking; whether the limit was exceeded. */
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

/** 0 for a process that is no more. */
function residentKib(pid: number): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, "latin1");
    return Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1] ?? 0);
  } catch {
    return 0;
  }
}
