import type { Fault } from "@uncaged/workflow-agent-kit";
import { type ChildSpec, definedOnly, describeEnd, resolveCommand, runChild } from "@uncaged/workflow-util";

export type Env = Readonly<Record<string, string | undefined>>;

/** The surroundings of a program; the binary passes the real ones. */
export type Surroundings = {
  readonly env: Env;
  readonly cwd: string;
  readonly signal: AbortSignal;
  readonly heartbeat: () => void;
  /** Receives lines of the program's stderr as they come. */
  readonly stderr: (line: string) => void;
  /** Between SIGTERM and SIGKILL. */
  readonly graceMs: number;
};

/** Less than the time that the kit gives us after a signal: a program that ignores SIGTERM ends before we do. */
export const GRACE_MS = 4000;

/** One argument is limited to 128 KiB on Linux. */
export const LONGEST_ARGUMENT = 120_000;

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
  /** Wall clock; `null`: no limit besides uwf's. */
  readonly timeoutMs: number | null;
  /** The limit of a line of stdout, and of the output that is kept. */
  readonly stdoutBytes: number;
  /** Polled every 100 ms: a program that has printed its result and does not exit is ended after the grace period. */
  readonly resultSeen: (() => boolean) | null;
};

/** One call that has ended. */
export type ProgramRun = {
  /** `null`: it did not exit by itself. */
  readonly code: number | null;
  /** It was ended after its result: the result counts. */
  readonly lingered: boolean;
  /** `exited with 1`, `was ended by SIGKILL`. */
  readonly outcome: string;
  readonly stdout: string;
  /** Whether stdout was: else U+FFFD stands in its lines for what was not. */
  readonly isUtf8: boolean;
  readonly stderr: string;
};

export type Called =
  | { readonly ok: true; readonly run: ProgramRun }
  | { readonly ok: false; readonly fault: Fault };

const STDERR_BYTES = 256 * 1024;

/** The absolute path of the first of these programs on PATH; if none is, the fault for the first one. */
export function findProgram(
  names: readonly [string, ...string[]],
  { env, cwd }: Pick<Surroundings, "env" | "cwd">,
): { readonly ok: true; readonly value: string } | { readonly ok: false; readonly error: Fault } {
  const found = names.map((name) => resolveCommand(name, { path: env.PATH ?? "", cwd }));
  const first = resolveCommand(names[0], { path: env.PATH ?? "", cwd });
  return found.find(({ ok }) => ok) ?? first;
}

/** Runs a program in its own session and process group, without a terminal. */
export async function callProgram(call: ProgramCall, surroundings: Surroundings): Promise<Called> {
  const ended = await runChild(specOf(call, surroundings));
  const { command } = call;
  if (ended.kind === "not-startable" || ended.kind === "io-failed") {
    return { ok: false, fault: { code: "AGENT_NOT_STARTABLE", command, reason: ended.reason } };
  }
  const run = {
    code: ended.kind === "exited" ? ended.code : null,
    lingered: ended.kind === "ended-after-result",
    outcome: describeEnd(ended),
    stdout: ended.stdout ?? "",
    isUtf8: ended.isUtf8,
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
    limits: { timeoutMs: call.timeoutMs, graceMs: surroundings.graceMs },
    resultSeen: call.resultSeen,
    abort: signal,
  };
}
