import {
  err,
  type Fault,
  fault,
  type ModeratorContext,
  ok,
  type Result,
  type Transition,
  type WorkflowPayload,
} from "@uncaged/workflow-protocol";
import { type Evaluated, evaluateTransition } from "./evaluate.js";
import { type GraphNode, nodeOf, routing, targetOf } from "./node.js";
import type { Decision, TriedTransition } from "./types.js";

/**
 * The next role, or the end, from the workflow and the history alone: the transitions of the last step's role (or
 * $START) in order, first match wins. What cannot be evaluated to `true` or `false` is a fault, never a `false`.
 * Faults: CONDITION_FAILED, CONDITION_NOT_BOOLEAN, NO_TRANSITION, UNKNOWN_CONDITION, UNKNOWN_ROLE, with `head` and
 * `recorded` `null`. The workflow and the context are only read.
 */
export function decide(
  workflow: WorkflowPayload,
  context: ModeratorContext,
): Promise<Result<Decision, Fault>> {
  const node = nodeOf(workflow, context);
  return decideAt(node, (transition) => evaluateTransition(node, transition, context));
}

/** `evaluate` is asked for one transition after the other, until one decides. */
export async function decideAt(
  node: GraphNode,
  evaluate: (transition: Transition) => Promise<Result<Evaluated, Fault>>,
): Promise<Result<Decision, Fault>> {
  const tried: TriedTransition[] = [];
  for (const transition of node.transitions) {
    const evaluated = await evaluate(transition);
    if (!evaluated.ok) return evaluated;
    const { expression, json, fault: wrong } = evaluated.value;
    if (wrong !== null) return err(wrong);
    const value = json === "true";
    tried.push({ ...transition, expression, value });
    if (!value) continue;
    const target = targetOf(node, transition);
    return target.ok ? ok({ ...target.value, tried }) : target;
  }
  const names = tried.map(({ condition }) => condition ?? "");
  return err(fault("NO_TRANSITION", { ...routing(node), tried: names }));
}
