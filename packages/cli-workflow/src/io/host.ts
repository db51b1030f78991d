import { readWithin } from "@uncaged/workflow-store";
import { fileSink, messageSink } from "./sink.js";
import { isTerminal } from "./terminal.js";
import { newToken } from "./token.js";
import type { Host } from "./types.js";

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** The real process as a host. */
export function processHost(): Host {
  return {
    env: process.env,
    cwd: process.cwd(),
    now: Date.now,
    pid: process.pid,
    runtime: runtime(),
    stdout: fileSink(1),
    stderr: messageSink(2, () => watchers === 0),
    newToken,
    readStdin: (limit) => readWithin(0, limit),
    stdinIsTerminal: () => isTerminal(0),
    onSignal,
    kill,
    sleep: (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds)),
  };
}

function runtime(): Host["runtime"] {
  const { bun, node } = process.versions;
  return bun === undefined ? { name: "node", version: node } : { name: "bun", version: bun };
}

// A signal is seen between two turns of the event loop: who watches for one must not be kept by a write.
let watchers = 0;

function onSignal(listener: (signal: NodeJS.Signals) => void): () => void {
  for (const signal of SIGNALS) process.on(signal, listener);
  watchers += 1;
  let watches = true;
  return () => {
    if (watches) watchers -= 1;
    watches = false;
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
