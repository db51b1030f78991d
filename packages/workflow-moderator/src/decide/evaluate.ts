import {
  err,
  type Fault,
  fault,
  type ModeratorContext,
  ok,
  type Result,
  type Transition,
} from "@uncaged/workflow-protocol";
import { observeCondition } from "../condition/index.js";
import { isBoolean } from "../engine/index.js";
import { expressionOf, type GraphNode, routing } from "./node.js";

/** A transition's expression, and the JSON of what it gave; `null` = no value. */
export type Evaluated = {
  readonly expression: string | null;
  readonly json: string | null;
  /** What is wrong about the value. */
  readonly fault: Fault | null;
};

/** So much of a value is shown. */
const SHOWN = 200;

/** An expression that fails is a fault; so is a value that is neither `true` nor `false`, but that one is told. */
export async function evaluateTransition(
  node: GraphNode,
  transition: Transition,
  context: ModeratorContext,
): Promise<Result<Evaluated, Fault>> {
  const expression = expressionOf(node, transition);
  if (!expression.ok) return expression;
  if (expression.value === null) return ok({ expression: null, json: "true", fault: null });
  const condition = {
    ...routing(node),
    condition: transition.condition ?? "",
    expression: expression.value,
  };
  const observed = await observeCondition(expression.value, context);
  if (!observed.ok) {
    const reason = observed.error;
    return err(typeof reason === "string" ? fault("CONDITION_FAILED", { ...condition, reason }) : reason);
  }
  const { kind, json, missing } = observed.value;
  if (isBoolean(observed.value)) return ok({ expression: expression.value, json, fault: null });
  const value = json === null ? NAMES[kind] : shortened(json);
  const notBoolean = fault("CONDITION_NOT_BOOLEAN", { ...condition, value, missing });
  return ok({ expression: expression.value, json, fault: notBoolean });
}

const NAMES = { value: "null", none: "no value", function: "a function" } as const;

function shortened(json: string): string {
  return json.length <= SHOWN ? json : `${json.slice(0, SHOWN)}…`;
}
