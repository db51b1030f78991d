import { type CasNode, type Hash, isHash, type Store } from "@uncaged/json-cas";
import { type Fault, ok, type ReactSessionPayload, type Result } from "@uncaged/workflow-protocol";
import { attempt } from "../attempt/index.js";
import { asUsage } from "../json/index.js";
import { TYPE } from "../nodes/index.js";

/** What a session's node tells of it in words and numbers; what it does not tell is `null`. */
export type SessionSummary = Pick<ReactSessionPayload, "sessionId" | "cwd" | "model" | "usage"> & {
  /** The name that the agent gives itself. */
  readonly agent: string | null;
  readonly durationMs: number | null;
  /** The model that read the output out of the reply; `null`: none did. */
  readonly extract: ExtractSummary | null;
};

export type ExtractSummary = Pick<ReactSessionPayload, "model" | "usage">;

/** The session that a step's detail is; `null` for details of other kinds, and for one that does not exist. */
export function readSession(store: Store, detail: Hash): Result<SessionSummary | null, Fault> {
  const node = attempt(() => store.get(detail));
  if (!node.ok) return node;
  if (node.value === null) return ok(null);
  const session = sessionIn(node.value);
  return ok(session === null ? null : { ...session, extract: extractOf(store, node.value) });
}

/** What cannot be read tells nothing: that there was an extract is known all the same. */
function extractOf(store: Store, { type, payload }: CasNode): ExtractSummary | null {
  if (type !== TYPE.extractedSession || typeof payload !== "object" || payload === null) return null;
  const hash = new Map<string, unknown>(Object.entries(payload)).get("extract");
  const node = attempt(() => (isHash(hash) ? store.get(hash) : null));
  const { model = null, usage = null } =
    (node.ok && node.value !== null ? sessionIn(node.value) : null) ?? {};
  return { model, usage };
}

function sessionIn({ type, payload }: CasNode): Omit<SessionSummary, "extract"> | null {
  if (
    (type !== TYPE.reactSession && type !== TYPE.extractedSession) ||
    typeof payload !== "object" ||
    payload === null
  )
    return null;
  const fields: ReadonlyMap<string, unknown> = new Map(Object.entries(payload));
  const durationMs = fields.get("durationMs");
  return {
    agent: textOf(fields.get("agent")),
    sessionId: textOf(fields.get("sessionId")),
    cwd: textOf(fields.get("cwd")),
    model: textOf(fields.get("model")),
    usage: asUsage(fields.get("usage")),
    durationMs: typeof durationMs === "number" ? durationMs : null,
  };
}

/** What a step's session cost; `null` when its detail is no session, cannot be read, or does not tell. It is for the log only. */
export function readSessionUsage(store: Store, detail: Hash): SessionSummary["usage"] {
  const session = readSession(store, detail);
  return session.ok && session.value !== null ? session.value.usage : null;
}

/** The same of a detail that was read already. */
export function sessionUsageIn(detail: CasNode): SessionSummary["usage"] {
  return sessionIn(detail)?.usage ?? null;
}

function textOf(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}
