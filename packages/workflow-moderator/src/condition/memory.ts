import { readFileSync } from "node:fs";

/** So often is looked; in that time a process can fill some 5 MB. */
const LOOK_MS = 2;

export type MemoryWatch = {
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
