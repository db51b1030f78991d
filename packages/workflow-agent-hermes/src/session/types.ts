/** One row of `sessions` with its messages, as `hermes sessions export` prints it, after the gate. */
export type HermesSession = {
  readonly id: string;
  readonly parent: string | null;
  readonly model: string | null;
  readonly cwd: string | null;
  /** Epoch ms. */
  readonly startedAt: number | null;
  readonly totals: Totals | null;
  /** Active ones, by id. */
  readonly messages: readonly HermesMessage[];
};

/** Sums over the whole session, resumes included. `input` counts cached tokens too. */
export type Totals = { readonly input: number; readonly output: number; readonly costUsd: number | null };

export type HermesMessage = {
  readonly id: number;
  readonly role: string;
  readonly text: string;
  readonly toolCalls: readonly HermesToolCall[];
  /** Of a tool's answer. */
  readonly toolCallId: string | null;
  /** Epoch ms. */
  readonly at: number | null;
};

export type HermesToolCall = { readonly id: string; readonly name: string; readonly arguments: string };
