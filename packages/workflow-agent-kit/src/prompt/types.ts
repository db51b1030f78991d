import type { JsonValue } from "@uncaged/json-cas";
import type { RoleDefinition } from "@uncaged/workflow-protocol";

/** What a person has said to this run. */
export type PromptNote = { readonly text: string; readonly by: string; readonly at: number };

/** An earlier step as the prompt shows it. */
export type PromptStep = {
  readonly hash: string;
  readonly role: string;
  /** The structured output. */
  readonly output: JsonValue;
  /** The agent's reply; `null` if the step has none. */
  readonly reply: string | null;
};

export type RolePromptInput = {
  readonly thread: string;
  readonly workflow: string;
  readonly role: string;
  readonly definition: Omit<RoleDefinition, "meta" | "agent">;
  /** What `buildOutputFormatInstruction` gave for the role's `meta`. */
  readonly outputFormatInstruction: string;
  /** The thread's prompt. */
  readonly task: string;
  /** What people have said since; oldest first. */
  readonly notes?: readonly PromptNote[];
  /** Newest first; read only as far as the limit allows them to be shown. */
  readonly steps: Iterable<PromptStep>;
  /** Characters for the history; `null`: HISTORY_BUDGET. */
  readonly historyBudget: number | null;
};
