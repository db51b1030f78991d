import type { Fault } from "@uncaged/workflow-agent-kit";
import { type ChildEnd, type ChildSpec, definedOnly, resolveCommand, runChild } from "@uncaged/workflow-util";
import type { Env } from "./adapters/index.js";

/** How an agent reaches its program; the binary hands in the real surroundings. */
export type Surroundings = {
  readonly env: Env;
  readonly cwd: string;
  readonly signal: AbortSignal;
  readonly heartbeat: () => void;
  /** Lines of the program's stderr go on to ours as they come. */
  readonly stderr: (line: string) => void;
  /** Between the polite signal and SIGKILL. */
  readonly graceMs: number;
};

/** Less than what the kit leaves us after a signal: whoever ignores SIGTERM is gone before we are. */
export const GRACE_MS = 4000;

/** One call of a program. */
export type ProgramCall = {
  /** Absolute, see `findProgram`. */
  readonly command: string;
  readonly args: readonly string[];
  /** `null`: /dev/null. */
  readonly stdin: string | null;
  /** Each line of stdout. */
  readonly onLine: ((line: string) => void) | null;
  /** Whether stderr is shown as it comes. */
  readonly shown: boolean;
  /** Wall clock; `null`: as long as it takes, uwf has its own limits. */
  readonly timeoutMs: number | null;
  /** A line of stdout, and all that is kept of it, is no longer than this. */
  readonly stdoutBytes: number;
  /** Asked about every 100 ms: a program that has told its result and does not exit is ended after the grace period. */
  readonly resultSeen: (() => boolean) | null;
};

/** One call that came to its end. */
export type ProgramRun = {
  /** `null`: it ended otherwise than by exiting. */
  readonly code: number | null;
  /** It was ended after its result had been seen: the result counts. */
  readonly lingered: boolean;
  /** `exited with 1`, `was ended by SIGKILL`. */
  readonly outcome: string;
  readonly stdout: string;
  readonly stderr: string;
};

export type Called =
  | { readonly ok: true; readonly run: ProgramRun }
  | { readonly ok: false; readonly fault: Fault };

const STDERR_BYTES = 256 * 1024;

/** The first of these programs that is on PATH, as an absolute path; the first one's fault when none is. */
export function findProgram(
  names: readonly [string, ...string[]],
  { env, cwd }: Pick<Surroundings, "env" | "cwd">,
): { readonly ok: true; readonly value: string } | { readonly ok: false; readonly error: Fault } {
  const found = names.map((name) => resolveCommand(name, { path: env.PATH ?? "", cwd }));
  const first = resolveCommand(names[0], { path: env.PATH ?? "", cwd });
  return found.find(({ ok }) => ok) ?? first;
}

/** Runs a program in a session and group of its own; it has no terminal and no open stdin to wait on. */
export async function callProgram(call: ProgramCall, surroundings: Surroundings): Promise<Called> {
  const ended = await runChild(specOf(call, surroundings));
  const { command } = call;
  if (ended.kind === "not-startable" || ended.kind === "io-failed") {
    return { ok: false, fault: { code: "AGENT_NOT_STARTABLE", command, reason: ended.reason } };
  }
  const run = {
    code: ended.kind === "exited" ? ended.code : null,
    lingered: ended.kind === "ended-after-result",
    outcome: outcomeOf(ended),
    stdout: ended.stdout ?? "",
    stderr: ended.stderr ?? "",
  };
  return { ok: true, run };
}

function specOf(call: ProgramCall, surroundings: Surroundings): ChildSpec {
  const { cwd, env, signal, heartbeat } = surroundings;
  const onLine = (line: string): void => {
    heartbeat();
    call.onLine?.(line);
  };
  const onErrorLine = (line: string): void => {
    heartbeat();
    if (call.shown) surroundings.stderr(line);
  };
  return {
    command: call.command,
    args: call.args,
    cwd,
    env: definedOnly(env),
    stdin: call.stdin === null ? { kind: "null" } : { kind: "text", text: call.stdin },
    stdout: { kind: "memory", limitBytes: call.stdoutBytes, onLine },
    stderr: { kind: "memory", limitBytes: STDERR_BYTES, onLine: onErrorLine },
    pidFile: null,
    limits: { timeoutMs: call.timeoutMs, idleMs: null, graceMs: surroundings.graceMs },
    lastActivity: null,
    onTick: null,
    resultSeen: call.resultSeen,
    abort: signal,
    // Our own process carries the run's token as well: finding members by it is uwf's business.
    token: null,
  };
}

function outcomeOf(end: ChildEnd): string {
  switch (end.kind) {
    case "exited":
      return `exited with ${end.code}`;
    case "signaled":
      return `was ended by ${end.signal}`;
    case "aborted":
      return `was interrupted by ${end.signal}`;
    case "timeout":
      return "took too long";
    default:
      return end.kind;
  }
}
