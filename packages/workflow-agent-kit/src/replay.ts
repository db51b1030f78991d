import { isObject, type JsonValue } from "@uncaged/json-cas";
import type { CasRef } from "@uncaged/workflow-protocol";
import {
  expandDetail,
  openStorage,
  readChainNode,
  readReportedSessions,
  readStart,
  type StepNode,
} from "@uncaged/workflow-store";
import { timeOfThreadId } from "@uncaged/workflow-util";
import { type AgentContext, asSession, type TurnFacts } from "./author/index.js";
import { FARTHEST, stepsOfThread } from "./resume.js";

/**
 * What was said in a session of this role, according to the details of the steps for which runs of this root reported
 * it, oldest first: an agent of a stateless API has no other memory. `null` if no such step knows the session, if its nodes cannot be read any
 * more, or if it may be longer than the part that is searched.
 */
export function sessionTurns(context: SessionOwner, sessionId: string): readonly TurnFacts[] | null {
  const details = detailsOf(context, sessionId);
  if (details === null || details.length === 0) return null;
  const turns: TurnFacts[] = [];
  for (const detail of details.toReversed()) {
    let isWhole = true;
    const expanded = expandDetail(context.store, detail, () => {
      isWhole = false;
    });
    if (!expanded.ok || !isWhole) return null;
    turns.push(...turnsIn(expanded.value).filter(wasSaid));
  }
  return turns;
}

type SessionOwner = Pick<AgentContext, "store" | "storageRoot" | "head" | "threadId" | "role">;

/** The details of the session's steps, newest first. */
function detailsOf(
  { store, storageRoot, head, threadId, role }: SessionOwner,
  sessionId: string,
): readonly CasRef[] | null {
  const newest = readChainNode(store, head);
  const last = newest.ok && newest.value.kind === "step" ? newest.value : null;
  const start = last === null ? null : readStart(store, last.payload.start);
  const timestamp = start?.ok === true ? start.value.timestamp : 0;
  const tip = { storage: { cas: store }, head, last, thread: threadId, start: { timestamp } };
  const steps: readonly StepNode[] = [...stepsOfThread(tip)];
  if (steps.length === FARTHEST) return null;
  const storage = openStorage(storageRoot, { now: () => 0 });
  const reported = readReportedSessions(storage, { thread: threadId, since: timeOfThreadId(threadId) });
  return steps
    .filter(({ hash, payload }) => payload.role === role && reported.get(hash)?.sessionId === sessionId)
    .map(({ payload }) => payload.detail);
}

/** `false` for the turn in which the kit notes why a session was not continued: no model said that. */
function wasSaid({ output, toolCalls, tokens, latencyMs }: TurnFacts): boolean {
  const note = /^session \S+ was not continued: /.test(output);
  return !note || toolCalls.length > 0 || tokens !== null || latencyMs !== null;
}

/** The turns of an expanded session, each text node in them as its text: then they are what an agent reports. */
function turnsIn(session: JsonValue): readonly TurnFacts[] {
  const flat: unknown = JSON.parse(JSON.stringify(session), (_, value) => textIn(value) ?? value);
  return asSession(flat).turns;
}

function textIn(value: unknown): string | null {
  return isObject(value) && typeof value.text === "string" && Object.keys(value).length === 1
    ? value.text
    : null;
}
