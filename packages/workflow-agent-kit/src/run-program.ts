import { err, type Fault, ok, type Result } from "@uncaged/workflow-protocol";
import {
  type ChildOutcome,
  definedOnly,
  resolveCommand,
  runChild,
  sanitizeTerminal,
} from "@uncaged/workflow-util";
import type { AgentContext, ToolCallFacts } from "./author/index.js";
import { whyOf } from "./fault.js";

/** A program that does an agent's work. */
export type ProgramOrder = {
  readonly context: Pick<AgentContext, "env" | "heartbeat" | "role" | "signal">;
  /** The program, looked up on the PATH of the context, or relative to `cwd`; and its arguments. */
  readonly command: readonly [string, ...string[]];
  /** Where uwf was called. */
  readonly cwd: string;
  /** Where the program works. */
  readonly folder: string;
  /** In ms; `null`: no limit. */
  readonly timeoutMs: number | null;
  /** Exit codes that are results. */
  readonly results: readonly number[];
  /** What raises the time limit: `--timeout of uwf-mine`. */
  readonly timeoutOption: string;
  /** Gets what it writes, as it comes, without terminal codes. */
  readonly stderr: (lines: string) => void;
};

export type ProgramResult = {
  readonly exitCode: number;
  /** For the step's trace. */
  readonly call: ToolCallFacts;
};

/** Between SIGTERM and SIGKILL. */
const GRACE_MS = 5000;

/** What is kept of each of the program's outputs, in bytes. */
const KEPT = 64 * 1024;

/** How much of its stderr an error quotes, in characters. */
const QUOTED = 2000;

/**
 * Runs a program to its end, in its own process group and without stdin. Faults: AGENT_NOT_FOUND, AGENT_NOT_STARTABLE,
 * IO_FAILED, and AGENT_FAILED for another exit code (with its stderr), a signal and the time limit.
 */
export async function runProgram(order: ProgramOrder): Promise<Result<ProgramResult, Fault>> {
  const { context, command, cwd, folder, timeoutMs, results } = order;
  const [name, ...args] = command;
  const env = definedOnly(context.env);
  const program = resolveCommand(name, { path: env.PATH ?? "", cwd });
  if (!program.ok) return program;
  const onLine = (line: string): void => {
    context.heartbeat();
    order.stderr(sanitizeTerminal(line));
  };
  const output = { kind: "memory", limitBytes: KEPT, onLine } as const;
  const ended = await runChild({
    command: program.value,
    args,
    cwd: folder,
    env,
    stdin: { kind: "null" },
    stdout: output,
    stderr: output,
    limits: { timeoutMs, graceMs: GRACE_MS },
    abort: context.signal,
  });
  if (ended.kind !== "exited" || !results.includes(ended.code)) return err(faultOf(ended, order));
  const call = {
    name: "exec",
    arguments: JSON.stringify({ command, cwd: folder }),
    result: sanitizeTerminal(`${ended.stdout ?? ""}${ended.stderr ?? ""}`),
    durationMs: ended.durationMs,
  };
  return ok({ exitCode: ended.code, call });
}

function faultOf(
  ended: ChildOutcome,
  { context: { role }, command: [command], timeoutMs, timeoutOption }: ProgramOrder,
): Fault {
  const stderr = sanitizeTerminal(ended.stderr ?? "").trim();
  const failed = { code: "AGENT_FAILED", command, role, stderr } as const;
  const describe = (outcome: string): string => {
    const quoted = stderr.length > QUOTED ? `…${stderr.slice(-QUOTED)}` : stderr;
    return `${command} ${outcome} as ${role}${quoted === "" ? ", and wrote nothing to stderr" : `:\n${quoted}`}`;
  };
  const withWords = (outcome: string): Fault => {
    const hint = "correct what the message says; then step again";
    return { ...failed, ...whyOf(stderr), outcome, message: describe(outcome), hint };
  };
  switch (ended.kind) {
    case "not-startable":
      return { code: "AGENT_NOT_STARTABLE", command, reason: ended.reason };
    case "io-failed": {
      const { operation, path, reason, errno } = ended;
      return { code: "IO_FAILED", operation, path, reason, errno };
    }
    case "timeout": {
      const outcome = `was ended after ${(timeoutMs ?? 0) / 1000} s`;
      return {
        ...failed,
        outcome,
        reason: "timeout",
        message: describe(outcome),
        hint: `step again, or raise ${timeoutOption}`,
      };
    }
    case "exited":
      return withWords(`exited with ${ended.code}`);
    case "signaled":
      return withWords(`was ended by ${ended.signal}`);
    case "aborted":
      return { ...failed, outcome: `was interrupted by ${ended.signal}` };
    case "ended-after-result":
      throw new Error("no result was looked for");
  }
}
