import type { JsonValue } from "@uncaged/json-cas";
import type { HistoryReason } from "@uncaged/workflow-protocol";

/** One step with everything that its Markdown shows. */
export type StepView = {
  /** Position in the thread, from 1. */
  readonly number: number;
  readonly hash: string;
  readonly role: string;
  readonly agent: string;
  /** Epoch ms. */
  readonly timestamp: number;
  readonly output: JsonValue;
  /** The agent's reply without its frontmatter; `null` where the step keeps none. */
  readonly reply: string | null;
  /** The model that read the output out of the reply; `null`: none did. */
  readonly extract: { readonly model: string | null } | null;
  /** The expanded detail; `null` where nobody asked for it. */
  readonly detail: JsonValue | null;
};

export type HeaderView = {
  readonly thread: string;
  readonly workflow: { readonly name: string; readonly hash: string };
  /** Epoch ms. */
  readonly startedAt: number;
  readonly state: "active" | HistoryReason;
  readonly steps: number;
  readonly prompt: string;
};
