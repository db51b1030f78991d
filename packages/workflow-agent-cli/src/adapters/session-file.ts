import { type JsonRecord, type Tokens, text } from "../events/index.js";

/** Whether a record bears a time from then on. */
export function isSince(record: JsonRecord, since: number): boolean {
  return Date.parse(text(record, "timestamp") ?? "") >= since;
}

/** The sum over the messages, each as it was told last; `null`: there are none. */
export function sumOfLast(messages: readonly (readonly [id: string, tokens: Tokens])[]): Tokens | null {
  const last = [...new Map(messages).values()];
  if (last.length === 0) return null;
  return {
    input: last.reduce((sum, { input }) => sum + input, 0),
    output: last.reduce((sum, { output }) => sum + output, 0),
    costUsd: null,
  };
}
