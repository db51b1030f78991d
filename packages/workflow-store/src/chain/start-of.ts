import type { Hash, Store } from "@uncaged/json-cas";
import { type CasRef, type Fault, ok, type Result } from "@uncaged/workflow-protocol";
import { readChainNode, readStart, type StartNode } from "../nodes/index.js";
import { asChainDamage } from "./damage.js";

/** The start of a thread from its head, by two reads however long the thread is: every step refers to its start. */
export function readStartOf(store: Store, head: Hash): Result<StartNode, Fault> {
  const node = readChainNode(store, head);
  if (!node.ok) return asChainDamage(head, head, "the head", node.error);
  if (node.value.kind === "start") return ok(node.value);
  const start = readStart(store, node.value.payload.start);
  return start.ok ? start : asChainDamage(head, node.value.payload.start, "its start", start.error);
}

/** The workflow's hash of a thread, from its head. */
export function workflowOfHead(store: Store, head: Hash): Result<CasRef, Fault> {
  const start = readStartOf(store, head);
  return start.ok ? ok(start.value.payload.workflow) : start;
}
