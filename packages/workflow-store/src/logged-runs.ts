import { isAbsolute } from "node:path";
import { isHash } from "@uncaged/json-cas";
import {
  type CasRef,
  EVENTS,
  type EventOf,
  eventKindIn,
  eventText,
  type Fault,
  isSessionId,
  type Result,
  type RunFailure,
  readEvent,
  type ThreadId,
} from "@uncaged/workflow-protocol";
import { attempt } from "./attempt.js";
import { type LogEntry, logDays, logOffset, pickEntries, readLogDay, recentEntries } from "./logs.js";
import type { FoundRun } from "./run-dir.js";
import type { Storage } from "./storage.js";

/** Of a thread, since a time, epoch ms. Only the days since then are read. */
type Query = { readonly thread: ThreadId; readonly since: number };

type FailedRunEvent = EventOf<RunFailure["outcome"]>;

/** A run that gave no step: its session belongs to the folder `cwd`. */
type FailedRun = { readonly failure: RunFailure } & Pick<
  FailedRunEvent,
  "head" | "sessionId" | "cwd" | "usage" | "extractUsage" | "durationMs"
>;

/** The runs of a thread since then that gave no step, one for each, oldest first, as the log tells them. */
export function readFailedRuns(storage: Storage, query: Query): Result<readonly FailedRun[], Fault> {
  const listed = new Set<string>();
  return pickEntries(storage, query, ({ line, content, timestamp }) => {
    const event = failureIn(line);
    // A uwf that dies between the line of a run and its removal leaves it to the next one, which logs it again.
    if (event === null || (event.run !== null && listed.has(event.run))) return null;
    if (event.run !== null) listed.add(event.run);
    const { kind: outcome, code, reason, role, agent, exitCode, stderr, hint, head } = event;
    const { cwd, usage, extractUsage, durationMs } = event;
    const sessionId = isSessionId(event.sessionId) ? event.sessionId : null;
    const failure = {
      outcome,
      code,
      reason,
      message: content,
      role,
      agent,
      exitCode,
      stderr,
      timestamp,
      hint,
    };
    return { failure, head, sessionId, cwd, usage, extractUsage, durationMs };
  });
}

function failureIn(line: LogEntry["line"]): FailedRunEvent | null {
  const kind = eventKindIn(line);
  const event = kind === "failed" || kind === "abandoned" ? readEvent(line) : null;
  return event?.kind === "failed" || event?.kind === "abandoned" ? event : null;
}

type FailedHeads = ReadonlyMap<ThreadId, ReadonlySet<string>>;

/**
 * The heads of each thread whose newest run failed, as far as the end of the log tells: for lists of many threads. A thread
 * that has gone on since has another head. One whose run was interrupted is not failing.
 */
export function readFailedHeads(storage: Storage): Result<FailedHeads, Fault> {
  const days = logDays(storage, null);
  if (!days.ok) return days;
  return attempt(() => {
    const heads = new Map<ThreadId, Set<string>>();
    for (const { thread, line } of recentEntries(days.value, [eventText("failed"), eventText("abandoned")])) {
      const event = failureIn(line);
      if (thread === null || event === null || event.head === null) continue;
      const failing = heads.get(thread) ?? new Set();
      if (event.code === "INTERRUPTED") failing.delete(event.head);
      else heads.set(thread, failing.add(event.head));
    }
    return heads;
  });
}

/** A session that a run of this root reported; the run gave a step. */
export type ReportedSession = {
  readonly sessionId: string;
  /** The absolute path of the folder that the session belongs to. */
  readonly cwd: string;
  readonly role: string;
  /** The program as it was started. */
  readonly agent: string;
};

/**
 * The sessions of a thread's steps since then, by the step, as uwf logged them when it moved the head. Nodes come from
 * anywhere (an import, a remote, an agent's own writing); lines of the log only from runs that this root started. A log
 * that is gone or cannot be read tells of none.
 */
export function readReportedSessions(storage: Storage, query: Query): ReadonlyMap<string, ReportedSession> {
  const sessions = pickEntries(storage, query, ({ line }) => sessionIn(line));
  return new Map(sessions.ok ? sessions.value : []);
}

function sessionIn(line: LogEntry["line"]): readonly [CasRef, ReportedSession] | null {
  const { outcome, step, sessionId, cwd, role, agent } = line;
  if (outcome !== "step" && outcome !== "adopted") return null;
  if (!isHash(step) || typeof role !== "string" || typeof agent !== "string") return null;
  if (!isSessionId(sessionId) || typeof cwd !== "string" || !isAbsolute(cwd)) return null;
  return [step, { sessionId, cwd, role, agent }];
}

/**
 * Whether the log has a line of this run. A process that finds a run that was left asks this: the run's uwf
 * may have died right after it wrote the line. Reads only what was written since the run began; an unreadable
 * log has no line.
 */
export function isRunLogged(storage: Storage, thread: ThreadId, { token, record }: FoundRun): boolean {
  const query = { since: record.startedAt, thread };
  const ends = pickEntries(storage, query, ({ line }) =>
    line.run === token && isRunEnd(line) ? line : null,
  );
  return ends.ok && ends.value.length > 0;
}

function isRunEnd(line: LogEntry["line"]): boolean {
  const kind = eventKindIn(line);
  return kind !== null && EVENTS[kind].as === "outcome";
}

/** A search for a thread's newest runs reads this many bytes at the end of a day. */
const NEWEST_BYTES = 256 * 1024;

/**
 * The lines of runs that started on this head, as far as they are near the end of the log, oldest first: a
 * push sends them to the other store with the step.
 */
export function readRunLines(
  storage: Storage,
  { thread, head }: { readonly thread: ThreadId; readonly head: string },
): Result<readonly LogEntry["line"][], Fault> {
  const days = logDays(storage, null);
  if (!days.ok) return days;
  return attempt(() =>
    days.value.slice(-2).flatMap((day) => {
      const cut = { offset: logOffset(day, NEWEST_BYTES), unfinished: false };
      const entries = [...readLogDay(day, { since: null, thread }, cut)];
      return entries.flatMap((entry) =>
        entry?.line.head === head && isRunEnd(entry.line) ? [entry.line] : [],
      );
    }),
  );
}
