import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import type { Run, Subject } from "./types.js";

/** Between two looks at a process's memory, in ms: the peak is kept by the kernel, so only the last look counts. */
const LOOK_MS = 3;

/** Starts the subject's command and waits for its end. Throws when it fails: a fast failure is no measurement. */
export function runOnce({ name, command, env, cwd, exitCode }: Subject, watchMemory: boolean): Promise<Run> {
  const [program, ...args] = command;
  const started = performance.now();
  const child = spawn(program, args, { env, cwd, stdio: ["ignore", "ignore", "pipe"] });
  let peakKb: number | null = null;
  const look = (): void => {
    peakKb = peakOf(child.pid) ?? peakKb;
  };
  const timer = watchMemory ? setInterval(look, LOOK_MS) : null;
  const words: Buffer[] = [];
  child.stderr.on("data", (chunk: Buffer) => words.push(chunk));
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("exit", (code, signal) => {
      const ms = performance.now() - started;
      if (timer !== null) clearInterval(timer);
      if (code === exitCode) resolve({ ms, peakMb: peakKb === null ? null : peakKb / 1024 });
      else
        reject(new Error(`${name} ended with ${code ?? signal}: ${Buffer.concat(words).toString("utf8")}`));
    });
  });
}

/** VmHWM in kB; the process may be gone, or a system may have no /proc. */
function peakOf(pid: number | undefined): number | null {
  try {
    const found = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
    return found === undefined ? null : Number(found);
  } catch {
    return null;
  }
}
