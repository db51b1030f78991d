import { err, type Fault, ok, type Result } from "@uncaged/workflow-protocol";
import {
  type ChildOutcome,
  definedOnly,
  resolveCommand,
  runChild,
  sanitizeTerminal,
} from "@uncaged/workflow-util";
import type { AgentContext, AgentReply, ToolCallFacts } from "./author.js";
import { whyOf } from "./fault.js";
import { printText, writeStderr } from "./host.js";
import { createAgent } from "./main/index.js";

/** An agent that has its work done by a program of others. */
export type ProgramAgent = {
  /** `uwf-<name>` */
  readonly name: string;
  readonly version: string;
  /** What `--help` prints. */
  readonly help: string;
  /** `usage: …` */
  readonly usage: string;
  /** `--check` with the words behind it; runs nothing. A sentence if they are wrong. */
  readonly check: (
    words: readonly string[],
    around: { readonly cwd: string; readonly path: string },
  ) => Result<ProgramReport, string>;
  readonly run: (context: AgentContext, around: ProgramPort) => AgentReply | Promise<AgentReply>;
};

/** The process around such an agent. */
export type ProgramPort = {
  readonly cwd: string;
  /** A line, or several, to our stderr. */
  readonly stderr: (lines: string) => void;
};

/** The agent cannot work. */
const NOT_READY = 6;

/**
 * The `main` of its binary: `--help`, `--check` as the first word, or a step. `--check` exits with 0 if the program can be
 * started, 6 if not, and 2 if the options are wrong. Of `.env` it gets what the agent's `env` in config.yaml lists.
 */
export function runProgramAgent(agent: ProgramAgent): void {
  const [first, ...words] = process.argv.slice(2);
  if (first === "--check") {
    process.exitCode = check(agent, words);
  } else {
    const { name, version, help } = agent;
    const port = { cwd: process.cwd(), stderr };
    void createAgent({ name, version, help, dotEnv: "listed", run: (context) => agent.run(context, port) })();
  }
}

function stderr(lines: string): void {
  writeStderr(`${lines}\n`);
}

function check(agent: ProgramAgent, words: readonly string[]): number {
  const checked = agent.check(words, { cwd: process.cwd(), path: process.env.PATH ?? "" });
  if (!checked.ok) {
    stderr(`error[USAGE]: ${checked.error}\nhint: ${agent.usage}`);
    return 2;
  }
  return printText(`${JSON.stringify(checked.value, null, 2)}\n`, checked.value.installed ? 0 : NOT_READY);
}

/** What an agent's `--check` prints of the program that it drives. */
export type ProgramReport = {
  readonly agent: string;
  /** `null`: none is needed, or none is named. */
  readonly program: string | null;
  readonly installed: boolean;
  readonly path: string | null;
  /** As the program reports it; `null`: unknown. */
  readonly version: string | null;
  /** `null`: not known without a prompt. */
  readonly loggedIn: boolean | null;
  /** What is wrong, or what to do. */
  readonly how: string;
};

/**
 * Looks up a program as a run would; runs nothing. `cwd` is the folder that relative names begin at. An agent that needs
 * no program (`null`) is installed.
 */
export function checkProgram(
  agent: string,
  program: string | null,
  { cwd, path }: { readonly cwd: string; readonly path: string },
): ProgramReport {
  if (program === null)
    return { ...programReport(agent, { program, path: null, how: "it needs no program" }), installed: true };
  const found = resolveCommand(program, { path, cwd });
  if (found.ok) return programReport(agent, { program, path: found.value, how: "it can be started" });
  const { error } = found;
  const how = error.code === "AGENT_NOT_STARTABLE" ? error.reason : `it is not on PATH (${path})`;
  return programReport(agent, { program, path: null, how });
}

/** Installed is what has a path; version and login are unknown. */
export function programReport(
  agent: string,
  { program, path, how }: Pick<ProgramReport, "program" | "path" | "how">,
): ProgramReport {
  return { agent, program, installed: path !== null, path, version: null, loggedIn: null, how };
}

/** The report of an agent whose program is not there. */
export function missingProgram(agent: string, program: string): ProgramReport {
  const how = `install ${program}, and make sure that it is on PATH`;
  return programReport(agent, { program, path: null, how });
}

/** The longest timer, in seconds. */
const LONGEST_S = 2_147_483;

/** The value of an option `--timeout <seconds>`, in ms, or a sentence about what is wrong with it. */
export function timeoutMsOf(seconds: string): Result<number, string> {
  return /^[1-9]\d*$/.test(seconds) && Number(seconds) <= LONGEST_S
    ? ok(Number(seconds) * 1000)
    : err(`--timeout is a number of seconds from 1 to ${LONGEST_S}, not "${seconds}"`);
}

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
