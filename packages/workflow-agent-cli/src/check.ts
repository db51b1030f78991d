import type { Adapter, Login, LoginContext } from "./adapters/index.js";
import { callProgram, findProgram } from "./program.js";

/** What a check needs to know about a CLI. */
export type Checkable = Pick<Adapter, "name" | "programs" | "login">;

/** What `--check` prints. */
export type Report = {
  readonly agent: string;
  readonly program: string;
  readonly installed: boolean;
  readonly path: string | null;
  /** As the program reports it; `null` when it does not. */
  readonly version: string | null;
  /** `null`: not known offline. */
  readonly loggedIn: boolean | null;
  /** How it is logged in, or what to do. */
  readonly how: string;
};

const TIMEOUT_MS = 20_000;
const STDOUT_BYTES = 64 * 1024;

/** Whether the CLI is installed, runs, and is logged in as far as is known offline. */
export async function check(
  { name, programs, login }: Checkable,
  place: LoginContext,
  cwd: string,
): Promise<Report> {
  const [program] = programs;
  const known = { agent: `uwf-${name}`, program };
  const found = findProgram(programs, { env: place.env, cwd });
  if (!found.ok) {
    const how = `install ${program}, and make sure that it is on PATH`;
    return { ...known, installed: false, path: null, version: null, loggedIn: null, how };
  }
  const version = await readVersion(found.value, place, cwd);
  return { ...known, installed: true, path: found.value, version, ...loginOf(login(place)) };
}

/** Installed, reports its version, and is not known to be logged out. */
export function isReady({ installed, version, loggedIn }: Report): boolean {
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

function loginOf({ state, how }: Login): Pick<Report, "loggedIn" | "how"> {
  return { loggedIn: STATES[state], how };
}
