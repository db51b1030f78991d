import {
  END,
  err,
  FAIL,
  type Fault,
  fault,
  type ModeratorContext,
  messageOf,
  ok,
  type Result,
  ROLE_NAME,
  START,
  type Transition,
  type WorkflowPayload,
} from "@uncaged/workflow-protocol";
import { type JsonValue, type Observe, observeCondition } from "./condition.js";
import { isBoolean, loadJsonata } from "./engine/index.js";
import { parseExpression } from "./expression.js";

/** A transition that was tried. `condition: null` always matches; `expression` is the condition's, or `null`. */
export type TriedTransition = {
  readonly role: string;
  readonly condition: string | null;
  readonly expression: string | null;
  readonly value: boolean;
};

/** Where a transition leads: to a role, or to `$END` (reason `end`) or `$FAIL` (`failed`). */
type Target =
  | { readonly kind: "role"; readonly role: string }
  | { readonly kind: "end"; readonly reason: "end" | "failed" };

/** The target, and the transitions that were tried up to it, in order. */
export type Decision = Target & {
  readonly tried: readonly TriedTransition[];
};

/** A transition of the node, evaluated whether or not an earlier one matched. */
export type ExplainedTransition = {
  readonly role: string;
  readonly condition: string | null;
  readonly expression: string | null;
  /** The expression's value; `null` also if it gave none, which is an error. */
  readonly value: JsonValue;
  /** Why this transition cannot be taken, as a sentence; `null`: its value is `true` or `false` and its target exists. */
  readonly error: string | null;
};

export type Explanation = {
  readonly decision: Result<Decision, Fault>;
  readonly transitions: readonly ExplainedTransition[];
};

/** The current node of the graph and its transitions. */
type GraphNode = {
  readonly workflow: WorkflowPayload;
  /** The last step's role, or $START. */
  readonly key: string;
  /** Empty if the graph has no entry. */
  readonly transitions: readonly Transition[];
};

function nodeOf(workflow: WorkflowPayload, context: ModeratorContext): GraphNode {
  const key = context.steps.at(-1)?.role ?? START;
  return { workflow, key, transitions: own(workflow.graph, key) ?? [] };
}

/** Common fields of routing faults; the caller adds the nodes. */
function routing({ workflow, key }: GraphNode): {
  readonly workflow: string;
  readonly role: string;
  readonly head: null;
  readonly recorded: null;
} {
  return { workflow: workflow.name, role: key, head: null, recorded: null };
}

/** The expression of a transition's condition; `null` if it has none. */
function expressionOf(node: GraphNode, { condition }: Transition): Result<string | null, Fault> {
  if (condition === null) return ok(null);
  const definition = own(node.workflow.conditions, condition);
  if (definition === null) return err(fault("UNKNOWN_CONDITION", { ...routing(node), condition }));
  return ok(definition.expression);
}

/** Where a transition leads. A role becomes a word of an agent's command line: in an imported workflow it may be any text. */
function targetOf(node: GraphNode, { role }: Transition): Result<Target, Fault> {
  if (role === END) return ok({ kind: "end", reason: "end" });
  if (role === FAIL) return ok({ kind: "end", reason: "failed" });
  if (own(node.workflow.roles, role) === null || !ROLE_NAME.test(role)) {
    return err(fault("UNKNOWN_ROLE", { ...routing(node), target: role }));
  }
  return ok({ kind: "role", role });
}

/** Roles and conditions may be called `constructor`. */
function own<T>(map: Readonly<Record<string, T>>, key: string): T | null {
  return Object.hasOwn(map, key) ? (map[key] ?? null) : null;
}

/** A transition's expression, and the JSON of what it gave; `null` = no value. */
type Evaluated = {
  readonly expression: string | null;
  readonly json: string | null;
  /** What is wrong with the value. */
  readonly fault: Fault | null;
};

/** Characters of a value that are shown. */
const SHOWN = 200;

/** A failed expression is a fault; so is a value other than `true` or `false`, which is returned too. */
async function evaluateTransition(
  node: GraphNode,
  transition: Transition,
  context: ModeratorContext,
  observe: Observe,
): Promise<Result<Evaluated, Fault>> {
  const expression = expressionOf(node, transition);
  if (!expression.ok) return expression;
  if (expression.value === null) return ok({ expression: null, json: "true", fault: null });
  const condition = {
    ...routing(node),
    condition: transition.condition ?? "",
    expression: expression.value,
  };
  const observed = await observe(expression.value, context);
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

/**
 * The next role, or the end, from the workflow and the history alone: the transitions of the last step's role (or
 * $START) in order, first match wins. A condition without a value `true` or `false` is a fault, never a `false`.
 * Faults: CONDITION_FAILED, CONDITION_NOT_BOOLEAN, NO_TRANSITION, UNKNOWN_CONDITION, UNKNOWN_ROLE, with `head` and
 * `recorded` `null`. The workflow and the context are only read. Many decisions share a session's `observe`.
 */
export function decide(
  workflow: WorkflowPayload,
  context: ModeratorContext,
  observe: Observe = observeCondition,
): Promise<Result<Decision, Fault>> {
  const node = nodeOf(workflow, context);
  return matchTransition(node, (transition) => evaluateTransition(node, transition, context, observe));
}

/** Evaluates one transition after the other until one matches. */
async function matchTransition(
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

/**
 * The result of `decide`, faults included, and every transition of the node, also after a match or a failure, with its
 * value or the reason why it cannot be taken.
 */
export async function explain(workflow: WorkflowPayload, context: ModeratorContext): Promise<Explanation> {
  const node = nodeOf(workflow, context);
  const evaluated = new Map<Transition, Promise<Result<Evaluated, Fault>>>();
  const evaluate = (transition: Transition): Promise<Result<Evaluated, Fault>> => {
    const result =
      evaluated.get(transition) ?? evaluateTransition(node, transition, context, observeCondition);
    evaluated.set(transition, result);
    return result;
  };
  const decision = await matchTransition(node, evaluate);
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

/**
 * How many of the last steps `decide` and `explain` can read if the last step's role is `key` ($START before the first):
 * at least 1, which holds the current role; `null` if a condition may read all of them.
 * A context with only these steps gives the same decision, the same values and the same faults.
 */
export async function stepsNeeded(workflow: WorkflowPayload, key: string): Promise<number | null> {
  const names = (own(workflow.graph, key) ?? []).map(({ condition }) => condition);
  let needed = 1;
  for (const name of new Set(names)) {
    const window = name === null ? 0 : await windowOfCondition(workflow, name);
    if (window === null) return null;
    needed = Math.max(needed, window);
  }
  return needed;
}

/** A condition that does not exist or does not parse fails before it reads anything. */
async function windowOfCondition(workflow: WorkflowPayload, name: string): Promise<number | null> {
  const definition = own(workflow.conditions, name);
  if (definition === null) return 0;
  const parsed = parseExpression(await loadJsonata(), definition.expression);
  return parsed.ok ? parsed.value.window : 0;
}
