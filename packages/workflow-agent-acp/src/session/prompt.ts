import { fieldsOf, textOf } from "../wire/index.js";
import { failed, failureOf } from "./outcome.js";
import type { Failure, Finished, OpenSession, Talk } from "./types.js";

type Prompted =
  | { readonly ok: true; readonly finished: Finished }
  | { readonly ok: false; readonly failure: Failure };

/** One prompt, as long as it takes: uwf and `--idle` have the limits. */
export async function sendPrompt(
  { connection }: Talk,
  session: OpenSession,
  text: string,
): Promise<Prompted> {
  const params = { sessionId: session.sessionId, prompt: [{ type: "text", text }] };
  const answer = await connection.request("session/prompt", params, null);
  if (answer.kind !== "result") return { ok: false, failure: failureOf("session/prompt", answer) };
  const { stopReason, usage } = fieldsOf(answer.value);
  const reason = textOf(stopReason);
  if (reason === null) return { ok: false, failure: failed("ended the prompt without a stopReason") };
  return { ok: true, finished: { stopReason: reason, usage } };
}
