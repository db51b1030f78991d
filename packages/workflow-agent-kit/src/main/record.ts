import type { JsonObject } from "@uncaged/json-cas";
import { type CasRef, type Fault, fault, type Result } from "@uncaged/workflow-protocol";
import { attemptAsync, putStep } from "@uncaged/workflow-store";
import { putDetail, putText } from "../detail/index.js";
import { writeReport } from "../report/index.js";
import type { Output } from "./output.js";
import type { Prepared, Replied } from "./types.js";

/** Stores the step, every node below it first: whoever sees the hash can read everything it refers to. */
export function recordStep(
  { prepared, startedAt }: Replied,
  value: JsonObject,
  { raw, session }: Output,
): Promise<Result<CasRef, Fault>> {
  const { open, agent, role, promptSeen } = prepared;
  const { cas, now } = open.storage;
  const durationMs = Math.max(0, Math.round(now() - startedAt));
  const facts = { agent: agent.name, role, session, prompt: promptSeen(), raw, startedAt, durationMs };
  return attemptAsync(async () => {
    const output = await cas.put(metaOf(prepared), value);
    const detail = await putDetail(cas, facts);
    const prev = open.last?.hash ?? null;
    return putStep(cas, { start: open.start.hash, prev, role, output, detail, agent: agent.name });
  });
}

function metaOf({ context }: Prepared): CasRef {
  return context.roleDefinition.meta;
}

/** Keeps the reply that no step came of, and tells uwf's log about it. */
export async function recordFailure(
  { prepared }: Replied,
  violations: readonly string[],
  { raw, session }: Output,
): Promise<Fault> {
  const { storage, run } = prepared.open;
  const kept = await attemptAsync(() => putText(storage.cas, raw));
  if (!kept.ok) return kept.error;
  writeReport(run, { sessionId: session.sessionId, usage: session.usage, raw: kept.value });
  return fault("EXTRACT_FAILED", { role: prepared.role, violations, raw: kept.value });
}
