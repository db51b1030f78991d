import {
  type Fault,
  type ModeratorContext,
  messageOf,
  type Result,
  type Transition,
  type WorkflowPayload,
} from "@uncaged/workflow-protocol";
import type { JsonValue } from "../condition/index.js";
import { decideAt } from "./decide.js";
import { type Evaluated, evaluateTransition } from "./evaluate.js";
import { expressionOf, type GraphNode, nodeOf, targetOf } from "./node.js";
import type { ExplainedTransition, Explanation } from "./types.js";

/**
 * What `decide` gives, its fault included, and every transition of the node with what its condition gives or why it
 * cannot be taken: those behind the one that decides too, and those behind one that fails.
 */
export async function explain(workflow: WorkflowPayload, context: ModeratorContext): Promise<Explanation> {
  const node = nodeOf(workflow, context);
  const evaluated = new Map<Transition, Promise<Result<Evaluated, Fault>>>();
  const evaluate = (transition: Transition): Promise<Result<Evaluated, Fault>> => {
    const result = evaluated.get(transition) ?? evaluateTransition(node, transition, context);
    evaluated.set(transition, result);
    return result;
  };
  const decision = await decideAt(node, evaluate);
  const transitions: ExplainedTransition[] = [];
  for (const transition of node.transitions) {
    transitions.push(explained(node, transition, await evaluate(transition)));
  }
  return { decision, transitions };
}

function explained(
  node: GraphNode,
  transition: Transition,
  evaluated: Result<Evaluated, Fault>,
): ExplainedTransition {
  const { role, condition } = transition;
  if (!evaluated.ok) {
    const known = expressionOf(node, transition);
    const expression = known.ok ? known.value : null;
    return { role, condition, expression, value: null, error: messageOf(evaluated.error) };
  }
  const { expression, json, fault } = evaluated.value;
  const value: JsonValue = json === null ? null : (JSON.parse(json) as JsonValue);
  const target = targetOf(node, transition);
  const wrong = fault ?? (target.ok ? null : target.error);
  return { role, condition, expression, value, error: wrong === null ? null : messageOf(wrong) };
}
