import type { JsonValue, Store } from "@uncaged/json-cas";
import {
  type Fault,
  type ModeratorContext,
  ok,
  type Result,
  type StepContext,
} from "@uncaged/workflow-protocol";
import { attempt } from "../attempt/index.js";
import type { StepNode } from "../nodes/index.js";
import { asChainDamage, chainDamaged } from "./damage.js";
import type { Chain } from "./types.js";

/** What conditions and agents see: every `output` expanded to its payload, the whole frozen. */
export function contextOf(store: Store, chain: Chain): Result<ModeratorContext, Fault> {
  const steps: StepContext[] = [];
  for (const step of chain.steps) {
    const output = outputOf(store, chain, step);
    if (!output.ok) return output;
    const { role, detail, agent } = step.payload;
    steps.push(Object.freeze({ role, output: output.value, detail, agent }));
  }
  const { workflow, prompt } = chain.start.payload;
  return ok(Object.freeze({ start: Object.freeze({ workflow, prompt }), steps: Object.freeze(steps) }));
}

function outputOf(store: Store, { head }: Chain, step: StepNode): Result<JsonValue, Fault> {
  const hash = step.payload.output;
  const node = attempt(() => store.get(hash));
  if (!node.ok) return asChainDamage(head, hash, `the output of step ${step.hash}`, node.error);
  if (node.value === null) return chainDamaged(head, hash, `the output of step ${step.hash} does not exist`);
  return ok(freezeDeep(node.value.payload));
}

/** Payloads are at most 128 levels deep, the store refuses more. */
function freezeDeep(value: JsonValue): JsonValue {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return value;
  for (const member of Object.values(value)) freezeDeep(member);
  return Object.freeze(value);
}
