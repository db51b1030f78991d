import {
  type Fault,
  type ModeratorContext,
  messageOf,
  ok,
  type Result,
  type WorkflowPayload,
} from "@uncaged/workflow-protocol";
import type { JsonValue } from "../condition/index.js";
import { decide } from "./decide.js";
import { evaluateTransition } from "./evaluate.js";
import { nodeOf } from "./node.js";
import type { ExplainedTransition, Explanation } from "./types.js";

/**
 * The decision, and every transition of the node with what its condition gives, also behind the one that decides.
 * What is wrong behind it stands in `error`; a decision that fails is the fault that `decide` gives.
 */
export async function explain(
  workflow: WorkflowPayload,
  context: ModeratorContext,
): Promise<Result<Explanation, Fault>> {
  const decision = await decide(workflow, context);
  if (!decision.ok) return decision;
  const node = nodeOf(workflow, context);
  const { tried } = decision.value;
  const transitions: ExplainedTransition[] = tried.map((transition) => ({ ...transition, error: null }));
  for (const transition of node.transitions.slice(tried.length)) {
    const evaluated = await evaluateTransition(node, transition, context);
    const { role, condition } = transition;
    transitions.push(
      evaluated.ok
        ? { role, condition, ...shown(evaluated.value) }
        : { role, condition, expression: null, value: null, error: messageOf(evaluated.error) },
    );
  }
  return ok({ decision: decision.value, transitions });
}

function shown(evaluated: {
  readonly expression: string | null;
  readonly json: string | null;
  readonly fault: Fault | null;
}): Pick<ExplainedTransition, "expression" | "value" | "error"> {
  const { expression, json, fault } = evaluated;
  const value: JsonValue = json === null ? null : (JSON.parse(json) as JsonValue);
  return { expression, value, error: fault === null ? null : messageOf(fault) };
}
