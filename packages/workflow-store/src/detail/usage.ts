import type { Hash, Store } from "@uncaged/json-cas";
import type { Usage } from "@uncaged/workflow-protocol";
import { attempt } from "../attempt/index.js";
import { asUsage } from "../json/index.js";
import { TYPE } from "../nodes/index.js";

/** What a step's session cost; `null` when its detail is no session, cannot be read, or does not tell. It is for the log only. */
export function readSessionUsage(store: Store, detail: Hash): Usage | null {
  const node = attempt(() => store.get(detail));
  if (!node.ok || node.value === null || node.value.type !== TYPE.reactSession) return null;
  const { payload } = node.value;
  return typeof payload === "object" && payload !== null && "usage" in payload
    ? asUsage(payload.usage)
    : null;
}
