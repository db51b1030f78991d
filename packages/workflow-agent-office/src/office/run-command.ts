import { err, ok, type Result } from "@uncaged/json-cas";
import { type Fault, type ToolCallFacts, whyOf } from "@uncaged/workflow-agent-kit";
import {
  type ChildOutcome,
  definedOnly,
  resolveCommand,
  runChild,
  sanitizeTerminal,
} from "@uncaged/workflow-util";
import type { Work } from "./types.js";

/** Between SIGTERM and SIGKILL. */
const GRACE_MS = 5000;

/** What is kept of each of the command's outputs, in bytes. */
const KEPT = 64 * 1024;

/** How much of its stderr an error quotes, in characters. */
const QUOTED = 2000;

/** The part of the work that is about one program. */
type Order = Work & {
  readonly command: readonly [string, ...string[]];
  /** Where it works. */
  readonly folder: string;
};

/** Runs the command with these words to its end, which has to be exit code 0; gives what a step's trace says of it. */
export async function runCommand(
  { context, port, options, command: [name, ...first], folder }: Order,
  words: readonly string[],
): Promise<Result<ToolCallFacts, Fault>> {
  const env = definedOnly(context.env);
  const program = resolveCommand(name, { path: env.PATH ?? "", cwd: port.cwd });
  if (!program.ok) return program;
  const onLine = (line: string): void => {
    context.heartbeat();
    port.stderr(sanitizeTerminal(line));
  };
  const args = [...first, ...words];
  const output = { kind: "memory", limitBytes: KEPT, onLine } as const;
  const ended = await runChild({
    command: program.value,
    args,
    cwd: folder,
    env,
    stdin: { kind: "null" },
    stdout: output,
    stderr: output,
    pidFile: null,
    limits: { timeoutMs: options.timeoutMs, idleMs: null, graceMs: GRACE_MS },
    lastActivity: null,
    onTick: null,
    resultSeen: null,
    abort: context.signal,
    // Our own process has the run's token too, so only uwf may look for processes by it.
    token: null,
  });
  const fault = faultOf(ended, name, { context, options });
  if (fault !== null) return err(fault);
  return ok({
    name: "exec",
    arguments: JSON.stringify({ command: [name, ...args], cwd: folder }),
    result: sanitizeTerminal(`${ended.stdout ?? ""}${ended.stderr ?? ""}`),
    durationMs: ended.durationMs,
  });
}

function faultOf(
  ended: ChildOutcome,
  command: string,
  { context: { role }, options }: Pick<Work, "context" | "options">,
): Fault | null {
  const stderr = sanitizeTerminal(ended.stderr ?? "").trim();
  const failed = { code: "AGENT_FAILED", command, role, stderr } as const;
  switch (ended.kind) {
    case "not-startable":
      return { code: "AGENT_NOT_STARTABLE", command, reason: ended.reason };
    case "io-failed": {
      const { operation, path, reason, errno } = ended;
      return { code: "IO_FAILED", operation, path, reason, errno };
    }
    case "timeout": {
      const outcome = `was ended after ${(options.timeoutMs ?? 0) / 1000} s (--timeout)`;
      const hint = "step again, or raise --timeout of uwf-office";
      return {
        ...failed,
        outcome,
        reason: "timeout",
        message: sentence(command, role, outcome, stderr),
        hint,
      };
    }
    case "exited":
      if (ended.code === 0) return null;
      return ofExit(failed, `exited with ${ended.code}`);
    case "signaled":
      return ofExit(failed, `was ended by ${ended.signal}`);
    case "aborted":
      return { ...failed, outcome: `was interrupted by ${ended.signal}` };
    case "ended-after-result":
      throw new Error("no result was looked for");
  }
}

type Failed = Omit<Extract<Fault, { readonly code: "AGENT_FAILED" }>, "outcome">;

function ofExit(failed: Failed, outcome: string): Fault {
  const { command, role, stderr } = failed;
  const hint = "correct what the message says; then step again";
  return { ...failed, ...whyOf(stderr), outcome, message: sentence(command, role, outcome, stderr), hint };
}

function sentence(command: string, role: string, outcome: string, stderr: string): string {
  const said = stderr.length > QUOTED ? `…${stderr.slice(-QUOTED)}` : stderr;
  return `${command} ${outcome} as ${role}${said === "" ? ", and wrote nothing to stderr" : `:\n${said}`}`;
}
