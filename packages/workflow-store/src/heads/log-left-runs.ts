import { parseHash } from "@uncaged/json-cas";
import { type EndingRecord, type Fault, lastLine, type ThreadId } from "@uncaged/workflow-protocol";
import { createLogger, type Log } from "@uncaged/workflow-util";
import { attempt } from "../attempt/index.js";
import { type Chain, linearise } from "../chain/index.js";
import { readSessionUsage } from "../detail/index.js";
import { isRunLogged } from "../logs/index.js";
import type { StepNode } from "../nodes/index.js";
import { type DamagedRun, type FoundRun, stdoutTail, surveyRuns } from "../runs/index.js";
import type { Storage } from "../storage/index.js";

/**
 * Every run leaves a trace in the log: one that a thread still has at its end was of a uwf that is gone, for a living
 * one tells of its run and takes it away itself.
 */
export function logLeftRuns(storage: Storage, thread: ThreadId, { head }: Pick<EndingRecord, "head">): void {
  const found = surveyRuns(storage, thread);
  if (!found.ok) return;
  for (const run of found.value.damaged) logDamaged(storage, thread, run);
  if (found.value.runs.length === 0) return;
  // What cannot be read must not keep the thread from ending: its runs are abandoned ones then.
  const read = linearise(storage.cas, head);
  const left = { chain: read.ok ? read.value : null, code: "THREAD_ENDED" } as const;
  for (const run of found.value.runs) logLeftRun(storage, thread, run, left);
}

/** `chain`: the thread's; `code`: why a result that is no step of it counts no more. */
type Left = {
  readonly chain: Chain | null;
  readonly code: Extract<Fault["code"], "THREAD_ENDED" | "HEAD_MOVED">;
};

/** The line of a run that nobody takes over any more, unless its uwf has written one. */
export function logLeftRun(storage: Storage, thread: ThreadId, run: FoundRun, { chain, code }: Left): void {
  if (isRunLogged(storage, thread, run)) return;
  const log = loggerOf(storage, thread);
  const { role } = run.record;
  const step = chain === null ? null : stepOf(chain, run);
  if (step === null) {
    log("D3W8KZ5H", `the run as ${role} was left by its uwf, and counts no more`, {
      ...common(run),
      outcome: "abandoned",
      code,
      usage: null,
    });
    return;
  }
  const usage = readSessionUsage(storage.cas, step.payload.detail);
  log("P5J1XQ8W", `${role} recorded as ${step.hash}, by a uwf that died before it told so`, {
    ...common(run),
    outcome: "step",
    step: step.hash,
    usage: usage === null ? null : { ...usage },
  });
}

/** The step that the thread has after the run's head, if it is what the run has printed. */
function stepOf({ start, steps }: Chain, run: FoundRun): StepNode | null {
  const at = [start, ...steps].findIndex(({ hash }) => hash === run.record.head);
  const next = at === -1 ? undefined : steps[at];
  const stdout = attempt(() => stdoutTail(run) ?? "");
  const printed = parseHash((stdout.ok ? lastLine(stdout.value) : null) ?? "");
  return next !== undefined && next.hash === printed ? next : null;
}

function common({ token, record: { role, command, head, attempt: count } }: FoundRun) {
  const unseen = { durationMs: null, exitCode: null, signal: null };
  return { role, agent: command[0] ?? "", run: token, head, attempt: count, ...unseen };
}

function logDamaged(storage: Storage, thread: ThreadId, { run, damage }: DamagedRun): void {
  loggerOf(storage, thread)("T2M6HC9R", "a run of the thread could not be read, and the thread has ended", {
    role: null,
    agent: null,
    run: run.token,
    head: null,
    attempt: null,
    durationMs: null,
    exitCode: null,
    signal: null,
    outcome: "abandoned",
    code: damage.code,
    file: run.runFile,
    usage: null,
  });
}

function loggerOf({ paths, now }: Storage, thread: ThreadId): Log {
  return createLogger({ dir: paths.logs, now, thread });
}
