import type { JsonObject } from "@uncaged/json-cas";
import type { RoleDefinition, WorkflowPayload } from "./nodes.js";

/** The graph's entry: the key of the first transitions. */
export const START = "$START";

/** The graph's exit: a transition to it ends the thread. */
export const END = "$END";

/** The graph's other exit: a transition to it ends the thread as failed. */
export const FAIL = "$FAIL";

/** How a thread ended: by `$END`, by `$FAIL`, by a person. */
const HISTORY_REASONS = ["end", "failed", "killed"] as const;

export type HistoryReason = (typeof HISTORY_REASONS)[number];

export function isHistoryReason(value: unknown): value is HistoryReason {
  return HISTORY_REASONS.some((reason) => reason === value);
}

export const WORKFLOW_NAME = /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/;

/** Whether `name` may name a workflow; only such a name is ever turned into a path. */
export function isWorkflowName(name: string): boolean {
  return WORKFLOW_NAME.test(name);
}

export const ROLE_NAME = /^[A-Za-z][A-Za-z0-9_-]{0,63}$/;

/** The name that a text may mean: `solve-issue` for `Solve_Issue`; `null`: none, or it is one. */
export function nearWorkflowName(text: string): string | null {
  const words = text.replace(/([a-z0-9])([A-Z])/g, "$1-$2").toLowerCase();
  const name = words.replace(/[^a-z0-9]+/g, "-").replace(/^[-0-9]+|-+$/g, "");
  return WORKFLOW_NAME.test(name) && name !== text ? name : null;
}

type Fact = {
  readonly type: "boolean" | "string" | "integer" | "array";
  /** The values that it can have; `null`: any of the type. */
  readonly values: readonly string[] | null;
};

/**
 * What uwf itself says of a child in the output of the role that it plays, where the role's meta declares the field: no
 * field of the child's own output is taken for one of these.
 */
export const CHILD_FACTS = {
  ok: { type: "boolean", values: null },
  reason: { type: "string", values: HISTORY_REASONS },
  thread: { type: "string", values: null },
  steps: { type: "integer", values: null },
} as const satisfies Readonly<Record<string, Fact>>;

/** The same of several children, one for each item of a list. */
export const MAP_FACTS = {
  ok: { type: "boolean", values: null },
  failed: { type: "integer", values: null },
  count: { type: "integer", values: null },
  threads: { type: "array", values: null },
} as const satisfies Readonly<Record<string, Fact>>;

/** A role as authored in YAML: `meta` is the JSON Schema itself. */
export type AuthoredRole = Omit<RoleDefinition, "meta"> & { readonly meta: JsonObject };

/** The workflow as an author writes it. */
export type AuthoredWorkflow = Omit<WorkflowPayload, "roles"> & {
  readonly roles: Readonly<Record<string, AuthoredRole>>;
};
