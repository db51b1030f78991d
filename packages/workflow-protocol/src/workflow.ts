import type { JsonObject } from "@uncaged/json-cas";
import type { CasRef } from "./ids.js";

/** The graph's entry: the key of the first transitions. */
export const START = "$START";

/** The graph's exit: a transition to it ends the thread. */
export const END = "$END";

/** The graph's other exit: a transition to it ends the thread as failed. */
export const FAIL = "$FAIL";

/** How a thread ended: by `$END`, by `$FAIL`, by a person. */
export const HISTORY_REASONS = ["end", "failed", "killed"] as const;

export type HistoryReason = (typeof HISTORY_REASONS)[number];

export function isHistoryReason(value: unknown): value is HistoryReason {
  return HISTORY_REASONS.some((reason) => reason === value);
}

export const WORKFLOW_NAME = /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/;

export const ROLE_NAME = /^[A-Za-z][A-Za-z0-9_-]{0,63}$/;

/** The name that a text may mean: `solve-issue` for `Solve_Issue`; `null`: none, or it is one. */
export function nearWorkflowName(text: string): string | null {
  const words = text.replace(/([a-z0-9])([A-Z])/g, "$1-$2").toLowerCase();
  const name = words.replace(/[^a-z0-9]+/g, "-").replace(/^[-0-9]+|-+$/g, "");
  return WORKFLOW_NAME.test(name) && name !== text ? name : null;
}

type RoleTexts = {
  readonly description: string;
  readonly goal: string;
  readonly capabilities: readonly string[];
  readonly procedure: string;
  readonly output: string;
};

/** A person plays the role. After the time limit `default` counts; without one, the thread waits for ever. */
export type HumanPlayer = {
  /** Counted from the moment the thread came to its head; `null`: no limit, and no default. */
  readonly timeoutSeconds: number | null;
  /** Satisfies the role's `meta`. */
  readonly default: JsonObject | null;
};

/** Child threads play the role: one, or one for each item of a list. */
export type WorkflowPlayer = {
  /** A registered name or a hash. */
  readonly name: string;
  /** `<role>.<path>`: where the list stands in that role's newest output; `null`: one child. */
  readonly each: string | null;
  /** Children at a time. */
  readonly jobs: number;
  /** A failed item becomes `null` instead of failing the role. */
  readonly partial: boolean;
  /** JSONata over the child's `{start, steps}`; `null`: the fields of its last output. */
  readonly output: string | null;
  /** What the child is asked: the role's texts or the thread's task. */
  readonly prompt: "role" | "task";
};

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

/** Who plays a role, as its workflow says. It names people and workflows, never commands. */
export type RolePlayer = { readonly human: HumanPlayer } | { readonly workflow: WorkflowPlayer };

/** `agent` is `null` for a role that is played by whatever agent the user has configured. */
type Played = { readonly agent: RolePlayer | null };

/** A role as stored: `meta` refers to the JSON Schema of the role's structured output. */
export type RoleDefinition = RoleTexts & Played & { readonly meta: CasRef };

/** A role as authored in YAML: `meta` is the JSON Schema itself. */
export type AuthoredRole = RoleTexts & Played & { readonly meta: JsonObject };

export type ConditionDefinition = {
  readonly description: string;
  /** JSONata over the moderator's context; must give `true` or `false`. */
  readonly expression: string;
};

/** First match wins; `condition: null` always matches; `role` is a role's name, `$END` or `$FAIL`. */
export type Transition = { readonly role: string; readonly condition: string | null };

type WorkflowOf<Role> = {
  readonly name: string;
  readonly description: string;
  readonly roles: Readonly<Record<string, Role>>;
  readonly conditions: Readonly<Record<string, ConditionDefinition>>;
  /** For `$START` and every role its transitions in order. */
  readonly graph: Readonly<Record<string, readonly Transition[]>>;
};

/** The workflow as stored in one node. */
export type WorkflowPayload = WorkflowOf<RoleDefinition>;

/** The workflow as an author writes it. */
export type AuthoredWorkflow = WorkflowOf<AuthoredRole>;
