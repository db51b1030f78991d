import type { Hash, Store } from "@uncaged/json-cas";
import { type CasRef, type Fault, ok, type Result } from "@uncaged/workflow-protocol";
import { readChainNode, readStart } from "../nodes/index.js";
import { asChainDamage } from "./damage.js";

/** The workflow's hash of a thread, from two nodes: every step refers to its start directly. */
export function workflowOfHead(store: Store, head: Hash): Result<CasRef, Fault> {
  const node = readChainNode(store, head);
  if (!node.ok) return asChainDamage(head, head, "the head", node.error);
  if (node.value.kind === "start") return ok(node.value.payload.workflow);
  const start = readStart(store, node.value.payload.start);
  if (!start.ok) return asChainDamage(head, node.value.payload.start, "its start", start.error);
  return ok(start.value.payload.workflow);
}
