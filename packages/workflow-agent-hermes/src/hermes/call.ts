import type { Fault } from "@uncaged/workflow-agent-kit";
import { type ChildEnd, type ChildSpec, resolveCommand, runChild } from "@uncaged/workflow-util";
import type { HermesRun, Surroundings } from "./types.js";

export type Called =
  | { readonly ok: true; readonly run: HermesRun }
  | { readonly ok: false; readonly fault: Fault };

const STDOUT_BYTES = 20 * 1024 * 1024;
/** An export holds the whole session with every tool result. */
const EXPORT_BYTES = 128 * 1024 * 1024;
const STDERR_BYTES = 256 * 1024;
const GRACE_MS = 5000;

export type Call = {
  readonly args: readonly string[];
  readonly stdin: string | null;
  /** Whether stderr is shown as it comes. */
  readonly shown: boolean;
  /** `null`: as long as it takes, uwf has its own limits. */
  readonly timeoutMs: number | null;
};

/** Runs `hermes` from PATH in a group of its own; it has no terminal and no open stdin to wait on. */
export async function callHermes(call: Call, surroundings: Surroundings): Promise<Called> {
  const { cwd, env, signal, heartbeat } = surroundings;
  const command = resolveCommand("hermes", { path: env.PATH ?? "", cwd });
  if (!command.ok) return { ok: false, fault: command.error };
  const onLine = (line: string): void => {
    heartbeat();
    if (call.shown) surroundings.stderr(line);
  };
  const spec: ChildSpec = {
    command: command.value,
    args: call.args,
    cwd,
    env: definedOnly(env),
    stdin: call.stdin === null ? { kind: "null" } : { kind: "text", text: call.stdin },
    stdout: { kind: "memory", limitBytes: call.shown ? STDOUT_BYTES : EXPORT_BYTES, onLine: heartbeat },
    stderr: { kind: "memory", limitBytes: STDERR_BYTES, onLine },
    pidFile: null,
    limits: { timeoutMs: call.timeoutMs, idleMs: null, graceMs: GRACE_MS },
    lastActivity: null,
    onTick: null,
    resultSeen: null,
    abort: signal,
    // Our own process carries the run's token as well: finding members by it is uwf's business.
    token: null,
  };
  const ended = await runChild(spec);
  if (ended.kind === "not-startable") {
    return {
      ok: false,
      fault: { code: "AGENT_NOT_STARTABLE", command: command.value, reason: ended.reason },
    };
  }
  const code = ended.kind === "exited" ? ended.code : null;
  const run = { code, outcome: outcomeOf(ended), stdout: ended.stdout ?? "", stderr: ended.stderr ?? "" };
  return { ok: true, run };
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

function definedOnly(env: Surroundings["env"]): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}
