import { readFileSync, writeSync } from "node:fs";
import type { Place } from "../adapters/index.js";
import { GRACE_MS } from "../program/index.js";
import type { Port } from "../runner/index.js";

/** Programs tidy up after their last word, and some ask their model once more for that. */
const LINGER_MS = 30_000;

/** The process around the agent. */
export function processPort(): Port {
  return {
    cwd: process.cwd(),
    stderr: (line) => void writeSync(2, `${line}\n`),
    isRoot: process.getuid?.() === 0,
    graceMs: GRACE_MS,
    lingerMs: LINGER_MS,
    now: () => performance.now(),
    time: () => performance.timeOrigin + performance.now(),
  };
}

/** What `--check` looks at. */
export function processPlace(): Place {
  const { env, platform } = process;
  return {
    env,
    // node:os costs bun 4 ms, and HOME is set nearly always.
    home: env.HOME || process.getBuiltinModule("node:os").homedir(),
    platform,
    read,
  };
}

function read(path: string): string | null {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return null;
  }
}
