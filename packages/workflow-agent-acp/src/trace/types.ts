import type { ToolCallFacts, TurnFacts } from "@uncaged/workflow-agent-kit";
import type { Fields } from "../wire/index.js";

/** A tool call as far as the agent has told of it. */
export type ToolCall = {
  readonly id: string;
  readonly name: string;
  readonly kind: string | null;
  readonly title: string;
  readonly arguments: unknown;
  /** Every path it was said to touch, and every input it was said to get, in any of its updates. */
  readonly locations: readonly string[];
  readonly inputs: readonly unknown[];
  readonly content: readonly Fields[];
  readonly rawOutput: unknown;
  readonly failed: boolean;
  /** Why it was not allowed; `null` when it was, or nobody asked. */
  readonly refusal: string | null;
  /** Characters kept of it, roughly. */
  readonly size: number;
  readonly startedAt: number;
  /** `null` while it is at work. */
  readonly endedAt: number | null;
};

/** What became of one prompt, as the agent's updates tell it. */
export type Trace = {
  /** Takes one `update` of a session/update; one that it does not know changes nothing. */
  readonly update: (update: Fields) => void;
  readonly toolCall: (id: string) => ToolCall | null;
  /** Keeps the call of a question for permission that was answered with no, and why. */
  readonly refuse: (toolCall: Fields, reason: string) => void;
  /** Whether a tool is at work. */
  readonly busy: () => boolean;
  /** Characters kept so far. */
  readonly size: () => number;
  /** The last message that has words; what the agent said before it is in the turns. */
  readonly text: () => string;
  readonly turns: () => readonly TurnFacts[];
  /** What the session has cost so far, where the agent says it in US dollars. */
  readonly costUsd: () => number | null;
};

export type OwnAnswer = Trace & {
  /** Whether the last that was heard belongs to an old prompt: where the new answer begins is then not known. */
  readonly isHistory: () => boolean;
};

export type { ToolCallFacts, TurnFacts };
