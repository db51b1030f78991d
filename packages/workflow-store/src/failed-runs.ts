import {
  type CasRef,
  eventKindIn,
  eventText,
  type Fault,
  isSessionId,
  ok,
  type Result,
  type RunFailure,
  readEvent,
  type ThreadId,
} from "@uncaged/workflow-protocol";
import { attempt } from "./attempt.js";
import {
  type FailedRunEvent,
  type FailedRuns,
  type FailedRunUsage,
  type FailedSession,
  type LogEntry,
  logDays,
  readLogDay,
  recentEntries,
} from "./logs.js";
import type { Storage } from "./storage.js";

/** A thread where it stands: `since` is when it came there, epoch ms. */
type Standing = { readonly thread: ThreadId; readonly head: CasRef; readonly since: number };

/** The failed runs of a thread since its head, as the log tells them. Only the days since then are read. */
export function readFailedRuns(
  storage: Storage,
  { thread, head, since }: Standing,
): Result<FailedRuns, Fault> {
  const found = failedRunsOf(storage, { thread, since }, ({ line }) => line.head === head);
  if (!found.ok) return found;
  const failures = found.value.map(asFailure);
  const count = (outcome: RunFailure["outcome"]): number =>
    failures.filter((failure) => failure.outcome === outcome).length;
  return {
    ok: true,
    value: { failed: count("failed"), abandoned: count("abandoned"), last: failures.at(-1) ?? null },
  };
}

/**
 * The heads of each thread whose newest run failed, as far as the end of the log tells: for lists of many threads. A thread
 * that has gone on since has another head. One whose run was interrupted is not failing.
 */
export function readFailedHeads(storage: Storage): Result<FailedHeads, Fault> {
  const days = logDays(storage, null);
  if (!days.ok) return days;
  return attempt(() => {
    const heads = new Map<ThreadId, Set<string>>();
    for (const entry of recentEntries(days.value, [eventText("failed"), eventText("abandoned")])) {
      const event = failureIn(entry);
      if (entry.thread === null || event === null || event.head === null) continue;
      const { head, code } = event;
      const failing = heads.get(entry.thread) ?? new Set();
      if (code === "INTERRUPTED") failing.delete(head);
      else heads.set(entry.thread, failing.add(head));
    }
    return heads;
  });
}

type FailedHeads = ReadonlyMap<ThreadId, ReadonlySet<string>>;

/** A line about a run that gave no step. */
type FailedRunEntry = LogEntry & { readonly event: FailedRunEvent };

type Query = { readonly thread: ThreadId; readonly since: number };

/** The lines about a thread's failed runs since then, one for each, oldest first. */
function failedRunsOf(
  storage: Storage,
  { thread, since }: Query,
  isMeant: (entry: LogEntry) => boolean,
): Result<readonly FailedRunEntry[], Fault> {
  const days = logDays(storage, since);
  if (!days.ok) return days;
  return attempt(() => {
    const found: FailedRunEntry[] = [];
    const listed = new Set<string>();
    for (const day of days.value) {
      for (const entry of readLogDay(day, { since, thread })) {
        const event = entry === null || !isMeant(entry) ? null : failureIn(entry);
        if (entry === null || event === null || isRepeated(event, listed)) continue;
        found.push({ ...entry, event });
      }
    }
    return found;
  });
}

function failureIn({ line }: LogEntry): FailedRunEvent | null {
  const kind = eventKindIn(line);
  const event = kind === "failed" || kind === "abandoned" ? readEvent(line) : null;
  return event?.kind === "failed" || event?.kind === "abandoned" ? event : null;
}

/** A uwf that dies between the line of a run and its removal leaves it to the next one, which logs it again. */
function isRepeated({ run }: FailedRunEvent, seen: Set<string>): boolean {
  if (run === null) return false;
  const isKnown = seen.has(run);
  seen.add(run);
  return isKnown;
}

function asFailure({ event, content, timestamp }: FailedRunEntry): RunFailure {
  const { kind: outcome, code, reason, role, agent, exitCode, stderr, hint } = event;
  return { outcome, code, reason, message: content, role, agent, exitCode, stderr, timestamp, hint };
}

/** The runs of a thread since then that gave no step and reported their session, oldest first. Only the days since then are read. */
export function readFailedSessions(
  storage: Storage,
  query: { readonly thread: ThreadId; readonly since: number },
): Result<readonly FailedSession[], Fault> {
  const found = failedRunsOf(storage, query, ({ line }) => isSessionId(line.sessionId));
  return found.ok ? ok(found.value.map(asFailedSession)) : found;
}

function asFailedSession({ event, content }: FailedRunEntry): FailedSession {
  const { head, role, agent, code, reason, sessionId, cwd } = event;
  return { sessionId: sessionId ?? "", cwd, head, role, agent, code, reason, message: content };
}

/** What the failed runs of a thread since then have cost, oldest first. Only the days since then are read. */
export function readFailedUsage(
  storage: Storage,
  query: { readonly thread: ThreadId; readonly since: number },
): Result<readonly FailedRunUsage[], Fault> {
  const found = failedRunsOf(storage, query, () => true);
  return found.ok ? ok(found.value.map(asFailedUsage)) : found;
}

function asFailedUsage({ event, timestamp }: FailedRunEntry): FailedRunUsage {
  const { kind: outcome, head, role, agent, code, sessionId, usage, extractUsage, durationMs } = event;
  return { outcome, head, role, agent, code, sessionId, usage, extractUsage, durationMs, timestamp };
}

/** A run that gave no step: how it ended, and what it has cost. */
type FailedRun = FailedRunUsage & Pick<RunFailure, "message" | "stderr">;

/** The runs of a thread since then that gave no step, oldest first, with everything that the log has about them. */
export function readFailedRunsSince(
  storage: Storage,
  query: { readonly thread: ThreadId; readonly since: number },
): Result<readonly FailedRun[], Fault> {
  const found = failedRunsOf(storage, query, () => true);
  return found.ok
    ? ok(found.value.map((entry) => ({ ...asFailure(entry), ...asFailedUsage(entry) })))
    : found;
}
