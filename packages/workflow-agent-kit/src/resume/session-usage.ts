import type { Usage } from "@uncaged/workflow-protocol";
import { readFailedUsage } from "@uncaged/workflow-store";
import { timeOfThreadId } from "@uncaged/workflow-util";
import type { OpenThread } from "../thread/index.js";
import { addUsage } from "../usage/index.js";
import { FARTHEST, stepsOfThread } from "./own-steps.js";
import type { Visitor } from "./types.js";
import { ownSession } from "./visit.js";

type Owner = Pick<Visitor, "agent" | "role"> & { readonly sessionId: string };

/**
 * What a session has used up before this step, as the earlier steps of the thread tell it, and its log for runs of the
 * session that failed. `null`: neither knows it, a step does not tell, or there may be more than are looked at.
 */
export function sessionUsage(open: OpenThread, owner: Owner): Usage | null {
  const told = visitsOf(open, owner);
  if (told === null) return null;
  const failed = failedUsages(open, owner, told.since);
  if (told.usages.length === 0 && failed === null) return null;
  return [...told.usages, ...(failed ?? [])].reduce(addUsage, NOTHING);
}

const NOTHING: Usage = { inputTokens: 0, outputTokens: 0, totalTokens: 0, costUsd: 0 };

type Told = {
  readonly usages: readonly (Usage | null)[];
  /** Epoch ms of the oldest of these steps; without any, when the thread began. */
  readonly since: number;
};

function visitsOf(open: OpenThread, { agent, role, sessionId }: Owner): Told | null {
  const usages: (Usage | null)[] = [];
  let since = timeOfThreadId(open.thread);
  let count = 0;
  for (const step of stepsOfThread(open)) {
    count += 1;
    const session = step.payload.role === role ? ownSession(open, step, agent)?.session : null;
    if (session?.sessionId !== sessionId) continue;
    usages.push(session.usage);
    since = step.timestamp;
  }
  return count === FARTHEST ? null : { usages, since };
}

/** A failed run that does not tell is left out: what it used shows in the session's next total. `null`: none is known. */
function failedUsages(
  { storage, thread }: OpenThread,
  { sessionId }: Owner,
  since: number,
): readonly Usage[] | null {
  const failed = readFailedUsage(storage, { thread, since });
  const ofSession = failed.ok ? failed.value.filter((run) => run.sessionId === sessionId) : [];
  if (ofSession.length === 0) return null;
  return ofSession.flatMap(({ usage }) => usage ?? []);
}
