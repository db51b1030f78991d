import { readFileSync } from "node:fs";
import { createAgent, printText, writeStderr } from "@uncaged/workflow-agent-kit";
import type { Adapter, LoginContext } from "./adapters/index.js";
import { type Checkable, check, isReady } from "./check.js";
import { GRACE_MS } from "./program.js";
import { createCliAgent, type Port } from "./runner/index.js";

/** Programs clean up after their last output, and some call their model once more for that. */
const LINGER_MS = 30_000;

/** The process around the agent. */
export function processPort(): Port {
  return {
    cwd: process.cwd(),
    stderr: (line) => writeStderr(`${line}\n`),
    isRoot: process.getuid?.() === 0,
    graceMs: GRACE_MS,
    lingerMs: LINGER_MS,
    now: () => performance.now(),
    time: () => performance.timeOrigin + performance.now(),
  };
}

/** The surroundings that `--check` uses. */
export function processPlace(): LoginContext {
  const { env, platform } = process;
  return {
    env,
    // node:os costs bun 4 ms, and HOME is nearly always set.
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

/** Exit code: the agent cannot work. */
const NOT_READY = 6;

/** The `main` of a binary for one CLI: handles `--check`; the kit does the rest. */
export async function cliAgentMain(
  adapter: Adapter,
  version: string,
  argv: readonly string[],
): Promise<void> {
  if (argv[0] === "--check") return checkMain(adapter);
  return createAgent({ ...createCliAgent(adapter, processPort()), version })(argv);
}

/** `--check`: prints the report; the exit code says whether the agent can work. */
export async function checkMain(subject: Checkable): Promise<void> {
  const report = await check(subject, processPlace(), process.cwd());
  process.exitCode = printText(`${JSON.stringify(report, null, 2)}\n`, isReady(report) ? 0 : NOT_READY);
}
