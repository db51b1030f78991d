import type { JsonValue, Store } from "@uncaged/json-cas";
import {
  type Fault,
  type ModeratorContext,
  messageOf,
  ok,
  type Result,
  type StepContext,
} from "@uncaged/workflow-protocol";
import { attempt } from "../attempt/index.js";
import { freezeDeep } from "../freeze/index.js";
import type { StepNode } from "../nodes/index.js";
import { asChainDamage, chainDamaged } from "./damage.js";
import type { Chain } from "./types.js";

/** What conditions and agents see: every `output` expanded to its payload, the whole frozen. */
export function contextOf(store: Store, chain: Stretch): Result<ModeratorContext, Fault> {
  const steps: StepContext[] = [];
  for (const step of chain.steps) {
    const output = outputOf(store, chain, step);
    if (!output.ok) return output;
    const { role, detail, agent } = step.payload;
    steps.push(Object.freeze({ role, output: output.value, detail, agent }));
  }
  return ok(frozenContext(chain, steps));
}

/** A chain, or its last steps. */
export type Stretch = Pick<Chain, "head" | "start" | "steps">;

/** A context whose outputs are read when somebody looks at them, once each. */
export type LazyContext = {
  readonly context: ModeratorContext;
  /** The first output that could not be read, if one was looked at: its reader got an exception. */
  readonly damage: () => Fault | null;
};

/** `contextOf` for a decision, which mostly looks at the last step alone. */
export function lazyContextOf(store: Store, chain: Stretch): LazyContext {
  let damage: Fault | null = null;
  const read = (step: StepNode): JsonValue => {
    const output = outputOf(store, chain, step);
    if (output.ok) return output.value;
    damage ??= output.error;
    throw new Error(messageOf(output.error));
  };
  const steps = chain.steps.map((step) => lazyStep(step, read));
  return { context: frozenContext(chain, steps), damage: () => damage };
}

function frozenContext({ start }: Stretch, steps: readonly StepContext[]): ModeratorContext {
  const { workflow, prompt } = start.payload;
  return Object.freeze({ start: Object.freeze({ workflow, prompt }), steps: Object.freeze(steps) });
}

function lazyStep(step: StepNode, read: (step: StepNode) => JsonValue): StepContext {
  const { role, detail, agent } = step.payload;
  let kept: { readonly value: JsonValue } | null = null;
  return Object.freeze({
    role,
    get output() {
      kept ??= { value: read(step) };
      return kept.value;
    },
    detail,
    agent,
  });
}

function outputOf(store: Store, { head }: Stretch, step: StepNode): Result<JsonValue, Fault> {
  const hash = step.payload.output;
  const node = attempt(() => store.get(hash));
  if (!node.ok) return asChainDamage(head, hash, `the output of step ${step.hash}`, node.error);
  if (node.value === null) return chainDamaged(head, hash, `the output of step ${step.hash} does not exist`);
  return ok(freezeDeep(node.value.payload));
}
