import type { Hash, Store } from "@uncaged/json-cas";
import type { Usage } from "@uncaged/workflow-protocol";
import { attempt } from "../attempt/index.js";
import { TYPE } from "../nodes/index.js";

/** What a step's session used, for the log; `null` where the detail is no session or does not tell. */
export function sessionUsage(store: Store, detail: Hash): Usage | null {
  const node = attempt(() => store.get(detail));
  if (!node.ok || node.value === null || node.value.type !== TYPE.reactSession) return null;
  const { usage } = node.value.payload as { readonly usage: Usage | null };
  return usage;
}
