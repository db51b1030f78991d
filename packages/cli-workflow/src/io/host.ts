import { readFileSync } from "node:fs";
import { fileSink, quietSink } from "./sink.js";
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
    stderr: quietSink(2),
    newToken,
    readStdin: () => readFileSync(0),
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
