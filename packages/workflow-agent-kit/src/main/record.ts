import type { JsonObject, Store } from "@uncaged/json-cas";
import type { CasRef, Fault, Result } from "@uncaged/workflow-protocol";
import { attemptAsync, putStep } from "@uncaged/workflow-store";
import { NOTHING_KNOWN, type SessionFacts } from "../author/index.js";
import { putDetail, putText } from "../detail/index.js";
import type { Output } from "./output.js";
import type { Prepared, Replied } from "./types.js";

/** Stores the step, every node below it first: whoever sees the hash can read everything it refers to. */
export function recordStep(
  { prepared, reply, asked, startedAt }: Replied,
  value: JsonObject,
  { raw, session, extract }: Output,
): Promise<Result<CasRef, Fault>> {
  const { open, agent, command, role } = prepared;
  const { now } = open.storage;
  const durationMs = Math.max(0, Math.round(now() - startedAt));
  const { text: clean } = open.redactor;
  const known = { agent: agent.name, role, session, prompt: asked, raw, startedAt, durationMs, extract };
  const write = async (cas: Store): Promise<CasRef> => {
    const output = await cas.put(metaOf(prepared), value);
    // A program without prompt and session has no trace: its result as a text says everything, in one node.
    const bare = reply.kind === "output" && session === NOTHING_KNOWN && known.prompt === "";
    const detail = bare ? await putText(cas, clean(raw)) : await putDetail(cas, { ...known, clean });
    const prev = open.last?.hash ?? null;
    return putStep(cas, { start: open.start.hash, prev, role, output, detail, agent: command });
  };
  return attemptAsync(() => open.storage.cas.together(write));
}

function metaOf({ context }: Prepared): CasRef {
  return context.roleDefinition.meta;
}

/** Keeps the reply that no step came of; `null` when even that is not possible. */
export async function keepReply({ prepared }: Replied, raw: string): Promise<CasRef | null> {
  const { storage, redactor } = prepared.open;
  const kept = await attemptAsync(() => putText(storage.cas, redactor.text(raw)));
  return kept.ok ? kept.value : null;
}

/** What uwf's log is to know of a run that failed. */
export function reportFailure(
  { meter }: Prepared,
  session: SessionFacts,
  raw: CasRef | null,
  extract: Output["extract"],
): void {
  meter.fail(session, raw, extract?.usage ?? null);
}
