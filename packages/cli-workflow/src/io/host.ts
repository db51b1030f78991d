import { readFileSync } from "node:fs";
import { isatty } from "node:tty";
import { fileSink } from "./sink.js";
import type { Host } from "./types.js";

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** The real process as a host. */
export function processHost(): Host {
  return {
    env: process.env,
    cwd: process.cwd(),
    now: Date.now,
    pid: process.pid,
    stdout: fileSink(1),
    stderr: fileSink(2),
    readStdin: () => readFileSync(0),
    stdinIsTerminal: isatty(0),
    onSignal,
    kill,
    sleep: (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds)),
  };
}

function onSignal(listener: (signal: NodeJS.Signals) => void): () => void {
  for (const signal of SIGNALS) process.on(signal, listener);
  return () => {
    for (const signal of SIGNALS) process.off(signal, listener);
  };
}

function kill(pid: number, signal: NodeJS.Signals): boolean {
  try {
    return process.kill(pid, signal);
  } catch {
    return false;
  }
}
