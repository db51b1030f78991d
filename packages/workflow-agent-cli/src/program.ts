import type { Fault } from "@uncaged/workflow-agent-kit";
import { definedOnly, describeEnd, resolveCommand, runChild } from "@uncaged/workflow-util";

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
type ProgramCall = {
  /** Absolute, see `findProgram`. */
  readonly command: string;
  readonly args: readonly string[];
  /** `null` or absent: /dev/null. */
  readonly stdin?: string | null;
  /** Each line of stdout. */
  readonly onLine?: (line: string) => void;
  /** Whether stderr is shown as it comes; absent: it is not. */
  readonly shown?: boolean;
  /** Wall clock; absent: no limit besides uwf's. */
  readonly timeoutMs?: number;
  /** The limit of a line of stdout, and of the output that is kept. */
  readonly stdoutBytes: number;
  /** Polled every 100 ms: a program that has printed its result and does not exit is ended after the grace period. */
  readonly resultSeen?: () => boolean;
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
  const find = (name: string) => resolveCommand(name, { path: env.PATH ?? "", cwd });
  return names.map(find).find(({ ok }) => ok) ?? find(names[0]);
}

/** Runs a program in its own session and process group, without a terminal. */
export async function callProgram(call: ProgramCall, surroundings: Surroundings): Promise<Called> {
  const {
    command,
    args,
    stdin = null,
    shown = false,
    timeoutMs = null,
    stdoutBytes,
    resultSeen = null,
  } = call;
  const { cwd, env, signal, heartbeat, graceMs } = surroundings;
  const onLine = (line: string): void => {
    heartbeat();
    call.onLine?.(line);
  };
  const onErrorLine = (line: string): void => {
    heartbeat();
    if (shown) surroundings.stderr(line);
  };
  const ended = await runChild({
    command,
    args,
    cwd,
    env: definedOnly(env),
    stdin: stdin === null ? { kind: "null" } : { kind: "text", text: stdin },
    stdout: { kind: "memory", limitBytes: stdoutBytes, onLine },
    stderr: { kind: "memory", limitBytes: STDERR_BYTES, onLine: onErrorLine },
    limits: { timeoutMs, graceMs },
    resultSeen,
    abort: signal,
  });
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
