import type { Hash, Store } from "@uncaged/json-cas";
import { type Fault, ok, type Result } from "@uncaged/workflow-protocol";
import { readChainNode, readStart, readStep, readWorkflow, type StepNode } from "../nodes/index.js";
import { asChainDamage, chainDamaged } from "./damage.js";
import type { Chain } from "./types.js";

/** Stage 3: the thread's history, oldest step first. Whatever is missing, damaged or of the wrong kind is `CHAIN_DAMAGED`. */
export function linearise(store: Store, head: Hash): Result<Chain, Fault> {
  const first = readChainNode(store, head);
  if (!first.ok) return asChainDamage(head, head, "the head", first.error);
  const steps = first.value.kind === "step" ? stepsUpTo(store, first.value) : ok([]);
  if (!steps.ok) return steps;
  const startHash = first.value.kind === "step" ? first.value.payload.start : head;
  const start = readStart(store, startHash);
  if (!start.ok) return asChainDamage(head, startHash, "its start", start.error);
  const workflow = readWorkflow(store, start.value.payload.workflow);
  if (!workflow.ok) return asChainDamage(head, start.value.payload.workflow, "its workflow", workflow.error);
  return ok({ head, workflow: workflow.value, start: start.value, steps: steps.value });
}

/** Follows `prev` back to the first step. Iterative; `seen` ends even a chain that a broken store bends into a ring. */
function stepsUpTo(store: Store, head: StepNode): Result<readonly StepNode[], Fault> {
  const steps: StepNode[] = [head];
  const seen = new Set<Hash>([head.hash]);
  for (let prev = head.payload.prev; prev !== null; ) {
    if (seen.has(prev)) return chainDamaged(head.hash, prev, "the chain comes back to it");
    const step = readStep(store, prev);
    if (!step.ok) return asChainDamage(head.hash, prev, "an earlier step", step.error);
    if (step.value.payload.start !== head.payload.start) {
      return chainDamaged(head.hash, prev, `it belongs to the start ${step.value.payload.start}`);
    }
    seen.add(prev);
    steps.push(step.value);
    prev = step.value.payload.prev;
  }
  return ok(steps.reverse());
}
