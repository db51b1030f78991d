import type { CasNode, Hash, Store } from "@uncaged/json-cas";
import { type Fault, ok, type ReactSessionPayload, type Result } from "@uncaged/workflow-protocol";
import { attempt } from "../attempt/index.js";
import { asUsage } from "../json/index.js";
import { TYPE } from "../nodes/index.js";

/** What a session's node tells of it in words and numbers; what it does not tell is `null`. */
export type SessionSummary = Pick<ReactSessionPayload, "sessionId" | "cwd" | "model" | "usage"> & {
  /** The name that the agent gives itself. */
  readonly agent: string | null;
  readonly durationMs: number | null;
};

/** The session that a step's detail is; `null` for details of other kinds, and for one that does not exist. */
export function readSession(store: Store, detail: Hash): Result<SessionSummary | null, Fault> {
  const node = attempt(() => store.get(detail));
  if (!node.ok) return node;
  return ok(node.value === null ? null : sessionIn(node.value));
}

function sessionIn({ type, payload }: CasNode): SessionSummary | null {
  if (type !== TYPE.reactSession || typeof payload !== "object" || payload === null) return null;
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
