import { readFailedUsage } from "@uncaged/workflow-store";
import type { OpenThread } from "../thread/index.js";

/**
 * How many runs of this very step went on in the session and failed, as uwf's log tells; one that somebody interrupted
 * is none. A log that cannot be read tells of none.
 */
export function failuresIn({ storage, thread, head, last }: OpenThread, sessionId: string): number {
  const failed = readFailedUsage(storage, { thread, since: last?.timestamp ?? 0 });
  if (!failed.ok) return 0;
  const inSession = failed.value.filter((run) => run.sessionId === sessionId && run.head === head);
  return inSession.filter(({ code }) => code !== "INTERRUPTED").length;
}
