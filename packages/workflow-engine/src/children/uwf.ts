import { type ChildProcess, spawn } from "node:child_process";
import { ENV, FAILURE_REASONS, type Fault, fault, faultIn } from "@uncaged/workflow-protocol";
import type { Why } from "./child.js";

/** What a uwf process said. */
export type Answer = {
  readonly code: number;
  /** Whether a signal ended it: what it had started may still run. */
  readonly wasKilled: boolean;
  /** The JSON object on its stdout, if there is one. */
  readonly document: Readonly<Record<string, unknown>> | null;
  /** The end of it. */
  readonly stderr: string;
  /** Why it failed, as its report on stderr says; `null`: there is none, or it cannot be read. */
  readonly fault: Why | null;
  /** The fault of that report. */
  readonly failure: Fault | null;
};

/** Runs uwf with these words and this text on stdin. */
export type Uwf = (words: readonly string[], stdin: string | null) => Promise<Answer>;

/** More of stdout or stderr than this is not looked at, in characters. */
const LONGEST = 256 * 1024;

/**
 * uwf in this process's group, so that a signal to the run reaches it too; `stop` ends what runs. `file`: its launcher. Never
 * throws: a process that
 * cannot be started is an answer as well.
 */
export function uwfAt(
  file: string,
  env: Readonly<Record<string, string | undefined>>,
  stop: AbortSignal | null = null,
): Uwf {
  return (words, stdin) =>
    new Promise((resolve) => {
      const child = spawn(file, words, {
        env: { ...env, [ENV.errorFormat]: "json" },
        stdio: [stdin === null ? "ignore" : "pipe", "pipe", "pipe"],
      });
      const stdout = tailOf(child.stdout);
      const stderr = tailOf(child.stderr);
      child.once("error", (error) => resolve(answerOf(NOT_STARTED, null, "", error.message)));
      const end = (): void => void child.kill("SIGTERM");
      stop?.addEventListener("abort", end, { once: true });
      child.once("close", () => stop?.removeEventListener("abort", end));
      child.once("close", (code, signal) => resolve(answerOf(code, signal, stdout(), stderr())));
      give(child, stdin);
    });
}

function give({ stdin }: ChildProcess, text: string | null): void {
  // A process that is gone before it has read everything says so by its exit code.
  stdin?.on("error", () => {});
  stdin?.end(text ?? "");
}

function tailOf(stream: ChildProcess["stdout"]): () => string {
  let text = "";
  stream?.setEncoding("utf8").on("data", (piece: string) => {
    text = `${text}${piece}`.slice(-LONGEST);
  });
  return () => text;
}

/** As in a shell: the program cannot be started. Our launcher exits with it, too, if it finds no runtime. */
const NOT_STARTED = 127;

function answerOf(
  code: number | null,
  signal: NodeJS.Signals | null,
  stdout: string,
  stderr: string,
): Answer {
  const report = objectIn(stderr.trim().split("\n").at(-1) ?? "");
  const fault = whyIn(report);
  const failure = faultIn(report);
  return { code: code ?? 6, wasKilled: signal !== null, document: objectIn(stdout), stderr, fault, failure };
}

/** Whether the same step may go well in a moment: a signal ended it, or another process had what it needs. */
export function isPassing({ code, wasKilled }: Answer): boolean {
  return wasKilled || code === 75 || code >= 128;
}

/** The fault of a step that another try meets again, the thread's or this machine's (`whoseIs`); `null`: there is none. */
export function lastingFault(answer: Answer): Fault | null {
  if (isPassing(answer)) return null;
  if (answer.failure !== null || answer.code !== NOT_STARTED) return answer.failure;
  const reason = answer.stderr.trim().split("\n").at(-1) ?? "";
  return fault("AGENT_NOT_STARTABLE", { command: "uwf", reason });
}

/** What it warned of on its way, whether it failed or not. */
export function warningsIn({ stderr }: Pick<Answer, "stderr">): readonly string[] {
  return stderr.split("\n").flatMap((line) => {
    const warning = objectIn(line)?.warning;
    return typeof warning === "string" ? [warning] : [];
  });
}

function objectIn(text: string): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? (value as Readonly<Record<string, unknown>>) : null;
  } catch {
    return null; // It ended before it could say more.
  }
}

function whyIn(report: Readonly<Record<string, unknown>> | null): Why | null {
  if (typeof report?.message !== "string") return null;
  const data = (report.data ?? {}) as Readonly<Record<string, unknown>>;
  return {
    message: report.message,
    hint: typeof report.hint === "string" ? report.hint : null,
    retryable: report.retryable === true,
    reason: FAILURE_REASONS.find((reason) => reason === data.reason) ?? null,
    retryAfter: typeof data.retryAfter === "number" ? data.retryAfter : null,
  };
}
