import {
  END,
  err,
  FAIL,
  type Fault,
  fault,
  type ModeratorContext,
  ok,
  type Result,
  START,
  type Transition,
  type WorkflowPayload,
} from "@uncaged/workflow-protocol";
import type { Target } from "./types.js";

/** Where routing stands: a node of the graph and its transitions. */
export type GraphNode = {
  readonly workflow: WorkflowPayload;
  /** The last step's role, or $START. */
  readonly key: string;
  /** None when the graph has no entry. */
  readonly transitions: readonly Transition[];
};

export function nodeOf(workflow: WorkflowPayload, context: ModeratorContext): GraphNode {
  const key = context.steps.at(-1)?.role ?? START;
  return { workflow, key, transitions: own(workflow.graph, key) ?? [] };
}

/** What every routing fault says; the nodes are the caller's knowledge. */
export function routing({ workflow, key }: GraphNode): {
  readonly workflow: string;
  readonly role: string;
  readonly head: null;
  readonly recorded: null;
} {
  return { workflow: workflow.name, role: key, head: null, recorded: null };
}

/** The expression of a transition's condition; `null` when it has none. */
export function expressionOf(node: GraphNode, { condition }: Transition): Result<string | null, Fault> {
  if (condition === null) return ok(null);
  const definition = own(node.workflow.conditions, condition);
  if (definition === null) return err(fault("UNKNOWN_CONDITION", { ...routing(node), condition }));
  return ok(definition.expression);
}

/** Where a transition leads. */
export function targetOf(node: GraphNode, { role }: Transition): Result<Target, Fault> {
  if (role === END) return ok({ kind: "end", reason: "end" });
  if (role === FAIL) return ok({ kind: "end", reason: "failed" });
  if (own(node.workflow.roles, role) === null) {
    return err(fault("UNKNOWN_ROLE", { ...routing(node), target: role }));
  }
  return ok({ kind: "role", role });
}

/** Roles and conditions may be called `constructor`. */
export function own<T>(map: Readonly<Record<string, T>>, key: string): T | null {
  return Object.hasOwn(map, key) ? (map[key] ?? null) : null;
}
