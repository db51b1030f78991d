import { constants } from "node:os";
import { err, type Fault, ok, type Result } from "@uncaged/workflow-agent-kit";
import {
  type ChildEnd,
  type ChildOutcome,
  type ChildSpec,
  endRun,
  resolveCommand,
  runChild,
  runMembers,
  sanitizeTerminal,
} from "@uncaged/workflow-util";
import type { Words } from "./words.js";

const NAP_MS = 50;

/** How long processes that are about to exit have to do so by themselves. */
const MOMENT_MS = 1000;

const GRACE_MS = 5000;

/**
 * Ends what a command left running in its process group: a server that a test forgot would keep its port in the next
 * run. Returns the number of processes. A program that must survive needs its own session (`setsid`).
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

/** The process around the agent; the binary passes the real one. */
export type Port = {
  readonly cwd: string;
  /** The folder for temporary files. */
  readonly temporary: string;
  /** One line to our stderr. */
  readonly stderr: (line: string) => void;
};

type Order = {
  readonly words: Words;
  /** The command's complete environment. */
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  readonly stdin: string;
  readonly signal: AbortSignal;
  /** Called with the command's output as plain lines; lines that arrive together come as one text. */
  readonly onLine: (line: string) => void;
};

/** A command that ended, with success or not. */
export type Ran = {
  /** As in a shell: 128 plus the number of the signal that ended it; 124 for our time limit. */
  readonly exitCode: number;
  /** `exited with 1`, `was ended by SIGSEGV`. */
  readonly outcome: string;
  readonly durationMs: number;
  /** The end of its stdout as plain text, where a header may be. */
  readonly stdout: string;
  /** The end of stdout and stderr, in order of arrival, up to the limit. */
  readonly tail: (limit: number) => string;
};

/** A longer output has no header: only its end is kept. */
const STDOUT_BYTES = 16 * 1024 * 1024;
/** The limit of one line. */
const LINE_BYTES = 1024 * 1024;

/** Receives the plain lines of stdout and stderr. */
type Sinks = { readonly both: Collector; readonly shown: Batches };

/** How to run the command: in its own process group, with the prompt on stdin. */
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
    limits: { timeoutMs: words.timeoutMs, graceMs: GRACE_MS },
    abort: signal,
  };
}

/** Characters of output in a step's trace, if its field `output` keeps less. */
export const TRACE_LIMIT = 256 * 1024;

/** The exit status of timeout(1). */
const TIMED_OUT = 124;

/**
 * Runs the command to its end. A command that fails is a result; a fault means that it could not run: not found, not
 * executable, no such folder.
 */
export async function runCommand(order: Order): Promise<Result<Ran, Fault>> {
  const [name = ""] = order.words.command;
  const program = resolveCommand(name, { path: order.env.PATH ?? "", cwd: order.cwd });
  if (!program.ok) return program;
  const both = createCollector(Math.max(order.words.outputLimit, TRACE_LIMIT));
  const shown = inBatches(order.onLine);
  const ended = await runChild(specOf(program.value, order, { both, shown }));
  shown.finish();
  const fault = faultOf(name, ended);
  if (fault !== null) return err(fault);
  const left = ended.pid === null ? 0 : await endLeftovers(ended.pid);
  if (left > 0)
    order.onLine(
      `uwf-exec: ended ${left} ${left === 1 ? "process" : "processes"} that the command left running`,
    );
  const { exitCode, outcome } = exitOf(ended);
  if (ended.kind !== "exited") both.push(`[the command ${outcome}]`);
  const stdout = plainText(ended.stdout ?? "");
  return ok({ exitCode, outcome, durationMs: ended.durationMs, stdout, tail: both.tail });
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
      return { exitCode: TIMED_OUT, outcome: "was ended after --timeout" };
  }
}

function numberOf(signal: string): number {
  return Object.entries(constants.signals).find(([name]) => name === signal)?.[1] ?? 0;
}

type Batches = {
  readonly push: (line: string) => void;
  /** Passes on the lines that still wait. */
  readonly finish: () => void;
};

/**
 * Passes on lines that arrive together as one text: one write for 64 KiB of output, not one per empty line. What `tell`
 * throws is thrown by the next `push`, or by `finish`.
 */
export function inBatches(tell: (lines: string) => void): Batches {
  let waiting: string[] = [];
  const errors: unknown[] = [];
  const rethrow = (): void => {
    if (errors.length > 0) throw errors[0];
  };
  const flush = (): void => {
    if (waiting.length === 0 || errors.length > 0) return;
    const lines = waiting.join("\n");
    waiting = [];
    try {
      tell(lines);
    } catch (error) {
      errors.push(error);
    }
  };
  const push = (line: string): void => {
    rethrow();
    // Runs after the chunk of this line and before the next one.
    if (waiting.push(line) === 1) queueMicrotask(flush);
  };
  const finish = (): void => {
    flush();
    rethrow();
  };
  return { push, finish };
}

type Collector = {
  /** One line as the command wrote it. */
  readonly push: (line: string) => void;
  /** The end of the output, at most `limit` bytes of UTF-8. */
  readonly tail: (limit: number) => string;
};

/** Keeps the last lines of stdout and stderr in order of arrival, in at most twice `limit` characters. */
export function createCollector(limit: number): Collector {
  let text = "";
  let cut = false;
  const push = (line: string): void => {
    text += `${line}\n`;
    if (text.length <= limit * 2) return;
    text = text.slice(-limit);
    cut = true;
  };
  return { push, tail: (bytes) => tailOf(text, bytes, cut) };
}

const LEFT_OUT = "[earlier output left out]\n";

function tailOf(text: string, limit: number, cut: boolean): string {
  const bytes = Buffer.from(text, "utf8");
  if (!cut && bytes.length <= limit) return text;
  let from = Math.max(0, bytes.length - limit);
  // Not in the middle of a character: its further bytes are 10xxxxxx.
  while (from < bytes.length && ((bytes[from] ?? 0) & 0xc0) === 0x80) from += 1;
  const kept = bytes.subarray(from).toString("utf8");
  const isWordStart = from > 0 && (bytes[from - 1] ?? 0) <= BLANK;
  return `${LEFT_OUT}${isWordStart ? kept : withoutFirstWord(kept)}`;
}

/** Blanks, newlines and everything that is not a visible character. */
const BLANK = 0x20;

/** Longer than any key. */
const LONGEST_WORD = 4096;

/** A word that was cut may be a part of a key, which the redactor does not recognise. */
function withoutFirstWord(text: string): string {
  const end = text.slice(0, LONGEST_WORD).search(/\s/);
  return text.slice(end === -1 ? LONGEST_WORD : end + 1);
}

/**
 * A line as a terminal finally shows it: without colours and control characters; of a progress bar only the last state.
 */
export function plainLine(line: string): string {
  if (line === "") return "";
  const states = line.split("\r").filter((state) => state !== "");
  return sanitizeTerminal(states.at(-1) ?? "");
}

/** Bytes converted at once, to bound the memory for millions of lines. */
const PIECE = 64 * 1024;

/** `plainLine` for each line of a text. */
export function plainText(text: string): string {
  const plain: string[] = [];
  for (let start = 0; start < text.length; ) {
    const newline = text.indexOf("\n", start + PIECE);
    const end = newline === -1 ? text.length : newline + 1;
    plain.push(text.slice(start, end).split("\n").map(plainLine).join("\n"));
    start = end;
  }
  return plain.join("");
}
