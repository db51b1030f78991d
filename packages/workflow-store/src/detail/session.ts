import type { Hash, Store } from "@uncaged/json-cas";
import { type Fault, ok, type ReactSessionPayload, type Result } from "@uncaged/workflow-protocol";
import { attempt } from "../attempt/index.js";
import { asUsage } from "../json/index.js";
import { TYPE } from "../nodes/index.js";

/** What a session's node tells of it in words and numbers; what it does not tell is `null`. */
export type SessionSummary = Pick<ReactSessionPayload, "sessionId" | "cwd" | "model" | "usage"> & {
  readonly durationMs: number | null;
};

/** The session that a step's detail is; `null` for details of other kinds, and for one that does not exist. */
export function readSession(store: Store, detail: Hash): Result<SessionSummary | null, Fault> {
  const node = attempt(() => store.get(detail));
  if (!node.ok) return node;
  if (node.value === null || node.value.type !== TYPE.reactSession) return ok(null);
  const { payload } = node.value;
  if (typeof payload !== "object" || payload === null) return ok(null);
  const fields: ReadonlyMap<string, unknown> = new Map(Object.entries(payload));
  const durationMs = fields.get("durationMs");
  return ok({
    sessionId: textOf(fields.get("sessionId")),
    cwd: textOf(fields.get("cwd")),
    model: textOf(fields.get("model")),
    usage: asUsage(fields.get("usage")),
    durationMs: typeof durationMs === "number" ? durationMs : null,
  });
}

/** What a step's session cost; `null` when its detail is no session, cannot be read, or does not tell. It is for the log only. */
export function readSessionUsage(store: Store, detail: Hash): SessionSummary["usage"] {
  const session = readSession(store, detail);
  return session.ok && session.value !== null ? session.value.usage : null;
}

function textOf(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}
