import { missingProgram, type ProgramReport, programReport } from "@uncaged/workflow-agent-kit";
import type { Adapter, LoginContext } from "./adapters/index.js";
import { callProgram, findProgram } from "./program.js";

/** What a check needs to know about a CLI. */
export type Checkable = Pick<Adapter, "name" | "programs" | "login">;

const TIMEOUT_MS = 20_000;
const STDOUT_BYTES = 64 * 1024;

/** Whether the CLI is installed, runs, and is logged in as far as is known offline. */
export async function check(
  { name, programs, login }: Checkable,
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
    {
      command,
      args: ["--version"],
      stdin: null,
      onLine: null,
      shown: false,
      timeoutMs: TIMEOUT_MS,
      stdoutBytes: STDOUT_BYTES,
      resultSeen: null,
    },
    { env, cwd, signal: new AbortController().signal, heartbeat: () => {}, stderr: () => {}, graceMs: 500 },
  );
  if (!called.ok || called.run.code !== 0) return null;
  // pi 0.73 prints it on stderr.
  const lines = `${called.run.stdout}\n${called.run.stderr}`.split("\n").map((line) => line.trim());
  return lines.find((line) => /\d+\.\d+/.test(line)) ?? null;
}

const STATES = { yes: true, no: false, unknown: null } as const;
