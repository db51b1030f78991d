import type {
  AuthoredWorkflow,
  ModeratorContext,
  Transition,
  WorkflowPayload,
} from "@uncaged/workflow-protocol";

const texts = { description: "d", goal: "g", capabilities: [], agent: null, procedure: "p", output: "o" };

export type Graph = Readonly<Record<string, readonly Transition[]>>;

/** Transitions of one node in short: `["reviewer", "ready"]`, `["$END", null]`. */
export function to(...pairs: readonly (readonly [string, string | null])[]): readonly Transition[] {
  return pairs.map(([role, condition]) => ({ role, condition }));
}

export function stored(
  roles: readonly string[],
  conditions: Readonly<Record<string, string>>,
  graph: Graph,
): WorkflowPayload {
  return {
    name: "solve-issue",
    description: "",
    roles: Object.fromEntries(roles.map((role) => [role, { ...texts, meta: "0000000000000" }])),
    conditions: expressions(conditions),
    graph,
  } as unknown as WorkflowPayload;
}

export const META = { type: "object", properties: { approved: { type: "boolean" } }, required: ["approved"] };

export function authored(
  roles: Readonly<Record<string, AuthoredWorkflow["roles"][string]["meta"]>>,
  conditions: Readonly<Record<string, string>>,
  graph: Graph,
): AuthoredWorkflow {
  return {
    name: "solve-issue",
    description: "",
    roles: Object.fromEntries(Object.entries(roles).map(([role, meta]) => [role, { ...texts, meta }])),
    conditions: expressions(conditions),
    graph,
  };
}

function expressions(conditions: Readonly<Record<string, string>>): AuthoredWorkflow["conditions"] {
  return Object.fromEntries(
    Object.entries(conditions).map(([name, expression]) => [name, { description: "", expression }]),
  );
}

/** A history: role and output of each step. */
export function history(...steps: readonly (readonly [string, unknown])[]): ModeratorContext {
  return {
    start: { workflow: "0000000000000", prompt: "Fix the bug" },
    steps: steps.map(([role, output]) => ({ role, output, detail: "0000000000001", agent: "uwf-mock" })),
  } as unknown as ModeratorContext;
}
