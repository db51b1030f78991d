import { constants } from "node:os";
import type { Fault } from "@uncaged/workflow-agent-kit";
import {
  type ChildEnd,
  type ChildOutcome,
  type ChildSpec,
  endRun,
  resolveCommand,
  runChild,
  runMembers,
} from "@uncaged/workflow-util";
import { type Batches, type Collector, createCollector, inBatches, plainLine, plainText } from "./output.js";
import type { Words } from "./words.js";

const NAP_MS = 50;

/** What is about to end has this long to do so by itself. */
const MOMENT_MS = 1000;

const GRACE_MS = 5000;

/**
 * Ends what a command has left running in its process group: a server that a test forgot would hold its port in the
 * next run. Gives how many there were. A program that is to stay has a session of its own (`setsid`).
 */
async function endLeftovers(pid: number): Promise<number> {
  const identity = { pid, startTime: null, token: null };
  let left = runMembers(identity).length;
  for (let waited = 0; left > 0 && waited < MOMENT_MS; waited += NAP_MS) {
    await new Promise((resolve) => setTimeout(resolve, NAP_MS));
    left = runMembers(identity).length;
  }
  if (left > 0) await endRun(identity, GRACE_MS);
  return left;
}

/** The process around the agent; the binary hands in the real one. */
export type Port = {
  readonly cwd: string;
  /** The folder for temporary files. */
  readonly temporary: string;
  /** One line to our stderr. */
  readonly stderr: (line: string) => void;
};

type Order = {
  readonly words: Words;
  /** The command's whole environment. */
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  readonly stdin: string;
  readonly signal: AbortSignal;
  /** Called with the plain lines that the command writes, as they come: those that come at once as one text. */
  readonly onLine: (line: string) => void;
};

/** A command that ran to its end, however that was. */
export type Ran = {
  /** As a shell tells it: 128 and the number where a signal ended it, 124 for our own time limit. */
  readonly exitCode: number;
  /** `exited with 1`, `was ended by SIGSEGV`. */
  readonly outcome: string;
  readonly durationMs: number;
  /** What it wrote to stdout, plain: the end of it, all that a header may be looked for in. */
  readonly stdout: string;
  /** The end of stdout and stderr in the order in which the lines came, at most that many bytes. */
  readonly tail: (limit: number) => string;
};

/** No header is looked for in more; of a command that writes more the end is kept, which has none. */
const STDOUT_BYTES = 16 * 1024 * 1024;
/** The lines are what counts; this bounds one of them. */
const LINE_BYTES = 1024 * 1024;

/** Where the lines of stdout and stderr go, plain. */
type Sinks = { readonly both: Collector; readonly shown: Batches };

/** How the command is to be run: in a group of its own, with the prompt on stdin. */
function specOf(program: string, order: Order, { both, shown }: Sinks): ChildSpec {
  const { words, env, cwd, stdin, signal } = order;
  const onLine = (line: string): void => {
    const plain = plainLine(line);
    both.push(plain);
    shown.push(plain);
  };
  return {
    command: program,
    args: words.command.slice(1),
    cwd,
    env,
    stdin: { kind: "text", text: stdin },
    stdout: { kind: "memory", limitBytes: words.fieldsFromStdout ? STDOUT_BYTES : LINE_BYTES, onLine },
    stderr: { kind: "memory", limitBytes: LINE_BYTES, onLine },
    pidFile: null,
    limits: { timeoutMs: words.timeoutMs, idleMs: null, graceMs: GRACE_MS },
    lastActivity: null,
    onTick: null,
    resultSeen: null,
    abort: signal,
    // Our own process carries the run's token as well: finding members by it is uwf's business.
    token: null,
  };
}

type Called = { readonly ok: true; readonly ran: Ran } | { readonly ok: false; readonly fault: Fault };

/** What a step's trace keeps of the output, in characters, where its field `output` keeps less. */
export const TRACE_LIMIT = 256 * 1024;

/** timeout(1) exits so. */
const TIMED_OUT = 124;

/**
 * Runs the command to its end. That it failed is a result; a fault is only what kept it from running: not found, not
 * executable, no such folder.
 */
export async function runCommand(order: Order): Promise<Called> {
  const [name = ""] = order.words.command;
  const program = resolveCommand(name, { path: order.env.PATH ?? "", cwd: order.cwd });
  if (!program.ok) return { ok: false, fault: program.error };
  const both = createCollector(Math.max(order.words.outputLimit, TRACE_LIMIT));
  const shown = inBatches(order.onLine);
  const ended = await runChild(specOf(program.value, order, { both, shown }));
  shown.finish();
  const fault = faultOf(name, ended);
  if (fault !== null) return { ok: false, fault };
  const left = ended.pid === null ? 0 : await endLeftovers(ended.pid);
  if (left > 0) order.onLine(`uwf-exec: processes that the command has left running were ended: ${left}`);
  const { exitCode, outcome } = exitOf(ended);
  if (ended.kind !== "exited") both.push(`[the command ${outcome}]`);
  const stdout = plainText(ended.stdout ?? "");
  return { ok: true, ran: { exitCode, outcome, durationMs: ended.durationMs, stdout, tail: both.tail } };
}

function faultOf(command: string, ended: ChildOutcome): Fault | null {
  if (ended.kind === "not-startable") return { code: "AGENT_NOT_STARTABLE", command, reason: ended.reason };
  if (ended.kind !== "io-failed") return null;
  const { operation, path, reason } = ended;
  return { code: "AGENT_NOT_STARTABLE", command, reason: `${operation} of ${path} failed: ${reason}` };
}

function exitOf(end: ChildEnd): Pick<Ran, "exitCode" | "outcome"> {
  switch (end.kind) {
    case "exited":
      return { exitCode: end.code, outcome: `exited with ${end.code}` };
    case "signaled":
      return { exitCode: 128 + numberOf(end.signal), outcome: `was ended by ${end.signal}` };
    case "aborted":
      return { exitCode: 128 + numberOf(end.signal), outcome: `was interrupted by ${end.signal}` };
    default:
      return { exitCode: TIMED_OUT, outcome: "was ended: it took longer than --timeout allows" };
  }
}

function numberOf(signal: string): number {
  return Object.entries(constants.signals).find(([name]) => name === signal)?.[1] ?? 0;
}
