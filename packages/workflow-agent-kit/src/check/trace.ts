import type { Hash } from "@uncaged/json-cas";
import type { Usage } from "@uncaged/workflow-protocol";
import { expandDetail, type Storage } from "@uncaged/workflow-store";

type Fields = Readonly<Record<string, unknown>>;

function fieldsOf(storage: Storage, detail: Hash): Fields {
  const expanded = expandDetail(storage.cas, detail);
  return expanded.ok && isFields(expanded.value) ? expanded.value : {};
}

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** What a detail tells about the run, in words. */
export function traceOf(storage: Storage, detail: Hash): string {
  const { turns, sessionId, usage } = fieldsOf(storage, detail);
  if (!Array.isArray(turns)) return "its detail is a text without a trace";
  const calls = turns.flatMap((turn: Fields) => (Array.isArray(turn.toolCalls) ? turn.toolCalls : []));
  const session = typeof sessionId === "string" ? `session ${sessionId}` : "no session id";
  return `${session}, turns: ${turns.length}, tool calls: ${calls.length}, usage ${usage ? "told" : "unknown"}`;
}

/** What a session's detail calls its agent; `null` where it is no session. */
export function agentOf(storage: Storage, detail: Hash): string | null {
  const { agent } = fieldsOf(storage, detail);
  return typeof agent === "string" ? agent : null;
}

/** The session that a detail names; `null` where it names none. */
export function sessionIdOf(storage: Storage, detail: Hash): string | null {
  const { sessionId } = fieldsOf(storage, detail);
  return typeof sessionId === "string" ? sessionId : null;
}

/** The usage that a detail tells; `null` where it tells none. Its node was validated when the step was. */
export function usageOf(storage: Storage, detail: Hash): Usage | null {
  const { usage } = fieldsOf(storage, detail);
  return isFields(usage) ? (usage as Usage) : null;
}
