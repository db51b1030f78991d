import { readFileSync } from "node:fs";
import {
  createAgent,
  missingProgram,
  type ProgramReport,
  printText,
  programReport,
  writeStderr,
} from "@uncaged/workflow-agent-kit";
import type { Adapter, LoginContext } from "./adapters/index.js";
import { callProgram, findProgram, GRACE_MS } from "./program.js";
import { createCliAgent, type Port } from "./runner.js";

/** Programs clean up after their last output, and some call their model once more for that. */
const LINGER_MS = 30_000;

/** The process around the agent. */
function processPort(): Port {
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
function processPlace(): LoginContext {
  const env = process.env;
  return {
    env,
    // node:os costs bun 4 ms, and HOME is nearly always set.
    home: env.HOME || process.getBuiltinModule("node:os").homedir(),
    platform: process.platform,
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

/** The `main` of a binary for one CLI. `--check` prints a report, and the exit code says whether the agent can work. */
export async function cliAgentMain(
  adapter: Adapter,
  version: string,
  argv: readonly string[],
): Promise<void> {
  if (argv[0] !== "--check") return createAgent({ ...createCliAgent(adapter, processPort()), version })(argv);
  const report = await check(adapter, processPlace(), process.cwd());
  process.exitCode = printText(`${JSON.stringify(report, null, 2)}\n`, isReady(report) ? 0 : NOT_READY);
}

const TIMEOUT_MS = 20_000;
const STDOUT_BYTES = 64 * 1024;

/** Whether the CLI is installed, runs, and is logged in as far as is known offline. */
export async function check(
  { name, programs, login }: Adapter,
  place: LoginContext,
  cwd: string,
): Promise<ProgramReport> {
  const [program] = programs;
  const found = findProgram(programs, { env: place.env, cwd });
  if (!found.ok) return missingProgram(`uwf-${name}`, program);
  const path = found.value;
  const { state, how } = login(place);
  const report = programReport(`uwf-${name}`, { program, path, how });
  return { ...report, version: await readVersion(path, place, cwd), loggedIn: STATES[state] };
}

/** Installed, reports its version, and is not known to be logged out. */
export function isReady({ installed, version, loggedIn }: ProgramReport): boolean {
  return installed && version !== null && loggedIn !== false;
}

async function readVersion(command: string, { env }: LoginContext, cwd: string): Promise<string | null> {
  const called = await callProgram(
    { command, args: ["--version"], timeoutMs: TIMEOUT_MS, stdoutBytes: STDOUT_BYTES },
    { env, cwd, signal: new AbortController().signal, heartbeat: () => {}, stderr: () => {}, graceMs: 500 },
  );
  if (!called.ok || called.run.code !== 0) return null;
  // pi 0.73 prints it on stderr.
  const lines = `${called.run.stdout}\n${called.run.stderr}`.split("\n").map((line) => line.trim());
  return lines.find((line) => /\d+\.\d+/.test(line)) ?? null;
}

const STATES = { yes: true, no: false, unknown: null } as const;
