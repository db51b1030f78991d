import type { CasRef, Ref } from "../ids/index.js";
import type { WorkflowPayload } from "../workflow/index.js";

export type StartNodePayload = {
  readonly workflow: Ref<WorkflowPayload>;
  readonly prompt: string;
};

/** What one finished step says, as it stands in its node. */
export type StepRecord = {
  readonly role: string;
  /** A node whose type is the role's `meta`. */
  readonly output: CasRef;
  /** What happened inside: a react-session (or an extracted-session), a content node, or a child thread's last StepNode. */
  readonly detail: CasRef;
  /** What the agent's author called it; a record, not verified. */
  readonly agent: string;
};

export type StepNodePayload = StepRecord & {
  readonly start: Ref<StartNodePayload>;
  /** `null` on the first step. */
  readonly prev: Ref<StepNodePayload> | null;
};

export type ContentPayload = { readonly text: string };

/** Tokens and money of one run; `costUsd` is `null` when the agent does not tell. */
export type Usage = {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly totalTokens: number;
  readonly costUsd: number | null;
};

/** What an agent does not tell is `null`, never 0. */
export type ReactSessionPayload = {
  readonly agent: string;
  readonly role: string;
  readonly sessionId: string | null;
  readonly cwd: string | null;
  readonly model: string | null;
  readonly prompt: Ref<ContentPayload>;
  readonly turns: readonly Ref<ReactTurnPayload>[];
  readonly raw: Ref<ContentPayload>;
  readonly usage: Usage | null;
  /** Epoch ms. */
  readonly startedAt: number;
  readonly durationMs: number;
};

/** A session whose output a model read out of the reply: `extract` is the session of that model. */
export type ExtractedSessionPayload = ReactSessionPayload & { readonly extract: Ref<ReactSessionPayload> };

export type ReactTurnPayload = {
  readonly input: Ref<ContentPayload>;
  readonly output: Ref<ContentPayload>;
  readonly toolCalls: readonly Ref<ReactToolCallPayload>[];
  readonly tokens: { readonly input: number; readonly output: number } | null;
  readonly latencyMs: number | null;
};

export type ReactToolCallPayload = {
  readonly name: string;
  readonly arguments: Ref<ContentPayload>;
  readonly result: Ref<ContentPayload>;
  readonly durationMs: number | null;
};
