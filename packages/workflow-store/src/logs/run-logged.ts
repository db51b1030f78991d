import type { ThreadId } from "@uncaged/workflow-protocol";
import { attempt } from "../attempt/index.js";
import type { FoundRun } from "../runs/index.js";
import type { Storage } from "../storage/index.js";
import { logDays, readLogDay } from "./read.js";

/**
 * Whether the log has a line of this run, for whoever finds a run that was left: its uwf may have died right after that
 * line. Only what was written since the run began is looked at; a log that cannot be read has none.
 */
export function isRunLogged(storage: Storage, thread: ThreadId, { token, record }: FoundRun): boolean {
  const query = { since: record.startedAt, thread };
  const days = logDays(storage, query.since);
  const looked = attempt(() =>
    (days.ok ? days.value : []).some((day) => hasRun(readLogDay(day, query), token)),
  );
  return looked.ok && looked.value;
}

function hasRun(entries: ReturnType<typeof readLogDay>, token: string): boolean {
  for (const entry of entries) if (entry?.line.run === token && entry.line.outcome !== undefined) return true;
  return false;
}
