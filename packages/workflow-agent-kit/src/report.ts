import { existsSync, renameSync, utimesSync, writeFileSync } from "node:fs";
import {
  ENV,
  type Fault,
  hintOf,
  isRetryable,
  messageOf,
  type ReportedFault,
  type RunReport,
  reasonOf,
  type Usage,
} from "@uncaged/workflow-protocol";
import { openStorage, type RunDir, readReport, resolveStorageRoot, runDirOf } from "@uncaged/workflow-store";
import { parseThreadId, type Redactor } from "@uncaged/workflow-util";
import type { Host } from "./host.js";

// Files of the run that uwf started us for. They help uwf (idle limit, log); none of them can fail a step.

/** A heartbeat is written at most this often, in ms. */
const BEAT_MS = 200;

/** Touches the run's heartbeat file; does nothing without a run. */
export function heartbeatOf(run: RunDir | null, now: () => number): () => void {
  let last = Number.NEGATIVE_INFINITY;
  return () => {
    if (run === null || now() - last < BEAT_MS) return;
    last = now();
    quietly(() => touch(run, last / 1000));
  };
}

function touch({ dir, heartbeat }: RunDir, seconds: number): void {
  if (existsSync(heartbeat)) utimesSync(heartbeat, seconds, seconds);
  else if (existsSync(dir)) writeFileSync(heartbeat, "", { mode: 0o600 });
}

/**
 * Leaves the failure for uwf, which then prints it; `false` if there is no uwf to do so. Finds the run itself:
 * what fails may be the opening of the thread.
 */
export function reportFault(host: Host, thread: string | null, failure: Fault): boolean {
  const token = host.env[ENV.run];
  const root = resolveStorageRoot(host);
  const id = parseThreadId(thread ?? "");
  if (!token || !root.ok || !id.ok) return false;
  const run = runDirOf(openStorage(root.value, { now: host.now }), id.value, token);
  if (run === null) return false;
  const known = readReport(run) ?? {
    sessionId: null,
    cwd: null,
    model: null,
    usage: null,
    extractUsage: null,
    raw: null,
    words: null,
  };
  return writeReport(run, { ...known, fault: reportedFault(failure) });
}

function reportedFault(failure: Fault): ReportedFault {
  const reason = reasonOf(failure);
  const retryAfter = "retryAfter" in failure ? (failure.retryAfter ?? null) : null;
  const retryable = isRetryable(failure);
  return {
    code: failure.code,
    reason,
    retryAfter,
    retryable,
    message: messageOf(failure),
    hint: hintOf(failure),
  };
}

/** Leaves facts about a failed run for uwf; only if uwf made the run's folder. Returns whether that succeeded. */
function writeReport(run: RunDir | null, report: RunReport): boolean {
  if (run === null || !existsSync(run.dir)) return false;
  return quietly(() => {
    const temporary = `${run.report}.tmp`;
    writeFileSync(temporary, `${JSON.stringify(report)}\n`, { mode: 0o600 });
    renameSync(temporary, run.report);
  });
}

function quietly(work: () => void): boolean {
  try {
    work();
    return true;
  } catch {
    // The folder is gone (the thread was killed) or the disk is full: the step itself decides what that means.
    return false;
  }
}

/** What is known of a run's session. */
type Used = Pick<RunReport, "sessionId" | "cwd" | "model" | "usage">;

const UNKNOWN: Used = { sessionId: null, cwd: null, model: null, usage: null };

/**
 * Keeps facts about a run's session for uwf's log, on disk as soon as they are known: an agent may be killed, or
 * throw, before it returns.
 */
export type Meter = {
  /**
   * What the current call has used so far; facts about its session that are not given again stay. `words`: what its model
   * has said last.
   */
  readonly tell: (used: Used, words?: string) => void;
  /** What all calls up to here have used; the next call counts from nothing. */
  readonly settle: (used: Used) => void;
  /** The reported session is gone; the next one begins. `usage`: what the lost one has cost, if anything. */
  readonly restart: (usage: Used["usage"]) => void;
  /** The run has given a step: what the session is in which a later visit can go on. */
  readonly done: (used: Used) => void;
  /** The run has failed: the final usage of its session, and its raw reply. */
  readonly fail: (used: Used, raw: RunReport["raw"], extractUsage: Usage | null) => void;
};

/** `here`: this process's folder, the default for a session's folder. */
export function meterOf(run: RunDir | null, redactor: Redactor, here: string): Meter {
  let settled: Used | null = null;
  let reported: Used | null = null;
  let words: string | null = null;
  let written = "";
  const write = (used: Used, raw: RunReport["raw"], extractUsage: Usage | null): void => {
    const cwd = used.sessionId === null ? null : (used.cwd ?? here);
    const report: RunReport = { ...used, cwd, extractUsage, raw, fault: null, words };
    const text = JSON.stringify(report);
    if (text === written) return;
    written = text;
    writeReport(run, redactor.record(report));
  };
  return {
    tell: (used, said) => {
      words = lastLine(redactor.text(said ?? "")) ?? words;
      reported = { ...latest(reported ?? UNKNOWN, used), usage: used.usage };
      write(together(settled, reported), null, null);
    },
    settle: (used) => {
      settled = { ...latest(UNKNOWN, used), usage: used.usage };
      reported = null;
    },
    restart: (usage) => {
      settled = usage === null ? null : { ...UNKNOWN, usage };
      reported = null;
    },
    done: ({ sessionId, cwd, model, usage }) => {
      if (sessionId !== null || written !== "") write({ sessionId, cwd, model, usage }, null, null);
    },
    fail: (used, raw, extractUsage) => {
      const known = together(settled, reported);
      write({ ...latest(known, used), usage: used.usage ?? known.usage }, raw, extractUsage);
    },
  };
}

const LONGEST_WORDS = 200;

/** Redacted before: a key that is cut would not be found. */
function lastLine(text: string): string | null {
  const line = text.split("\n").findLast((each) => each.trim() !== "");
  return line?.trim().slice(0, LONGEST_WORDS) ?? null;
}

function together(settled: Used | null, reported: Used | null): Used {
  if (settled === null || reported === null) return settled ?? reported ?? UNKNOWN;
  return { ...latest(settled, reported), usage: addUsage(settled.usage, reported.usage) };
}

function latest(one: Used, next: Used): Omit<Used, "usage"> {
  return {
    sessionId: next.sessionId ?? one.sessionId,
    cwd: next.cwd ?? one.cwd,
    model: next.model ?? one.model,
  };
}

/** A sum with an unknown part would claim too little: it is unknown. */
export function addUsage(first: Usage | null, next: Usage | null): Usage | null {
  if (first === null || next === null) return null;
  const costUsd = first.costUsd === null || next.costUsd === null ? null : first.costUsd + next.costUsd;
  return {
    inputTokens: first.inputTokens + next.inputTokens,
    outputTokens: first.outputTokens + next.outputTokens,
    totalTokens: first.totalTokens + next.totalTokens,
    costUsd,
  };
}

export const NO_USAGE: Usage = { inputTokens: 0, outputTokens: 0, totalTokens: 0, costUsd: 0 };

type Answer = {
  readonly tokens: { readonly input: number; readonly output: number } | null;
  readonly costUsd: number | null;
};

/** What one answer of a model used; `null`: its service does not say. */
export function usageOfAnswer({ tokens, costUsd }: Answer): Usage | null {
  if (tokens === null) return null;
  const { input, output } = tokens;
  return { inputTokens: input, outputTokens: output, totalTokens: input + output, costUsd };
}
