import type { SessionFacts } from "../author/index.js";
import type { ExtractSession } from "../llm/index.js";

/** One run of an agent, as it is kept beside its step. */
export type RunFacts = {
  readonly agent: string;
  readonly role: string;
  readonly session: SessionFacts;
  /** What the agent was asked; "" when it never looked at its prompt. */
  readonly prompt: string;
  /** Takes keys out of every text. */
  readonly clean: (text: string) => string;
  /** Everything it replied. */
  readonly raw: string;
  /** Epoch ms. */
  readonly startedAt: number;
  readonly durationMs: number;
  /** What a model did to read the output out of the reply. */
  readonly extract: ExtractSession | null;
};
