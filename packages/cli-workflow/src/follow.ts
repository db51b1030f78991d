import { err, type Fault, fault, type Result } from "@uncaged/workflow-protocol";
import {
  type LogDay,
  type LogEntry,
  type LogQuery,
  logDayOf,
  readLogDay,
  type Storage,
} from "@uncaged/workflow-store";
import type { Host } from "./io.js";

// For commands that show what happens until they are interrupted.

/** Between two looks, in ms: a person does not notice it, and a look costs little. */
export const POLL_MS = 200;

/** `INTERRUPTED` if a signal arrives while it works; `isStopped` says so. */
export async function untilSignal<T>(
  host: Pick<Host, "onSignal">,
  work: (isStopped: () => boolean) => Promise<Result<T, Fault>>,
): Promise<Result<T, Fault>> {
  let signal: NodeJS.Signals | null = null;
  const stop = host.onSignal((received) => {
    signal ??= received;
  });
  try {
    const done = await work(() => signal !== null);
    return signal === null ? done : err(fault("INTERRUPTED", { signal, recorded: null }));
  } finally {
    stop();
  }
}

type Start = { readonly day: LogDay; readonly offset: number };

/**
 * Each call yields what the log got since the last one, `null` for a torn or foreign line; days follow one another. Throws
 * `CasError` `IO_FAILED`.
 */
export function followLog(
  storage: Storage,
  query: LogQuery,
  start: Start,
): () => Generator<LogEntry | null, void> {
  let { day, offset } = start;
  return function* news() {
    for (;;) {
      const today = logDayOf(storage, storage.now());
      offset = yield* readLogDay(day, query, { offset, unfinished: false });
      if (today.day === day.day) return;
      // A new day: what stood in the old one has just been shown, its last line included.
      [day, offset] = [today, 0];
    }
  };
}

/** An entry for programs: the line as it stands, after its time as a person reads it, UTC. */
export function logDocument({ line, timestamp }: LogEntry) {
  return { time: new Date(timestamp).toISOString(), ...line };
}
