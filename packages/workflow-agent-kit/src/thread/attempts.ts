import { basename } from "node:path";
import { type FailedSession, readFailedSessions } from "@uncaged/workflow-store";
import { timeOfThreadId } from "@uncaged/workflow-util";
import type { OpenThread, Self } from "./types.js";

/**
 * The runs of this very step by this agent that gave no result and told their session, oldest first, as uwf's log tells
 * of them. A log that cannot be read tells of none.
 */
export function attemptsOf(
  { storage, thread, head, last }: OpenThread,
  { name, program }: Self,
  role: string,
): readonly FailedSession[] {
  const failed = readFailedSessions(storage, { thread, since: last?.timestamp ?? timeOfThreadId(thread) });
  if (!failed.ok) return [];
  // The log has the program as it was started.
  const isOwn = (agent: string | null): boolean =>
    agent !== null && [name, program].includes(basename(agent));
  return failed.value.filter((run) => run.head === head && run.role === role && isOwn(run.agent));
}
