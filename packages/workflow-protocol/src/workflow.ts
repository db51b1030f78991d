import type { JsonObject } from "@uncaged/json-cas";
import type { CasRef } from "./ids.js";

/** The graph's entry: the key of the first transitions. */
export const START = "$START";

/** The graph's exit: a transition to it ends the thread. */
export const END = "$END";

/** The graph's other exit: a transition to it ends the thread as failed. */
export const FAIL = "$FAIL";

type RoleTexts = {
  readonly description: string;
  readonly goal: string;
  readonly capabilities: readonly string[];
  readonly procedure: string;
  readonly output: string;
};

/** A role as stored: `meta` refers to the JSON Schema of the role's structured output. */
export type RoleDefinition = RoleTexts & { readonly meta: CasRef };

/** A role as authored in YAML: `meta` is the JSON Schema itself. */
export type AuthoredRole = RoleTexts & { readonly meta: JsonObject };

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
