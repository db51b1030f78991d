import { err, type JsonObject, type JsonValue, type Result } from "@uncaged/json-cas";
import {
  type Completion,
  type Fault,
  jsonObjectIn,
  type OpenModel,
  type Why,
} from "@uncaged/workflow-agent-kit";
import { repairRequest } from "./prompts.js";

export type Question = {
  readonly model: OpenModel;
  readonly system: string;
  readonly user: string;
  /** The member of the answer that counts. */
  readonly member: "blocks" | "edits";
  /** One try, in ms. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  /** Told of every answer, also of one that cannot be used. */
  readonly onAnswer: (answer: Completion) => void;
};

/** The longest silence of a model, in ms: Node.js itself drops a server that is silent for five minutes. */
const IDLE_MS = 240_000;
const WORDLESS_MS = 600_000;

/** An answer that cannot be used is sent back once, with what is wrong. */
const TRIES = 2;

/** What `use` makes of the model's answer. A problem of `use` is a text for the model. */
export async function ask<T>(
  question: Question,
  use: (given: JsonValue) => Result<T, string>,
): Promise<Result<T, Fault>> {
  const { model, system, user, member, timeoutMs, signal, onAnswer } = question;
  const messages: JsonObject[] = [
    { role: "system", content: system },
    { role: "user", content: user },
  ];
  let problem = "";
  for (let tries = 0; tries < TRIES; tries += 1) {
    const answer = await model.complete({
      messages,
      tools: [],
      toolChoice: null,
      more: {},
      timeoutMs,
      idleMs: IDLE_MS,
      wordlessMs: WORDLESS_MS,
      signal,
      onActivity: () => {},
    });
    if (!answer.ok) return failed(`model ${model.alias} failed: ${answer.error.reason}`, answer.error.why);
    onAnswer(answer.value);
    const { text, unfinished } = answer.value;
    if (unfinished !== null)
      return failed(`model ${model.alias}: ${unfinished}`, { reason: "limit-reached" });
    const given = jsonObjectIn(text);
    const value = given.ok ? (given.value[member] ?? null) : null;
    const used = !given.ok
      ? given
      : value === null
        ? err(`it is no JSON object with a member "${member}"`)
        : use(value);
    if (used.ok) return used;
    problem = used.error;
    messages.push({ role: "assistant", content: text }, { role: "user", content: repairRequest(problem) });
  }
  const hint = "say more precisely what is wanted, or take another model (--model)";
  return failed(`the answer of model ${model.alias} cannot be used:\n  ${problem}`, {
    reason: "bad-result",
    hint,
  });
}

function failed(message: string, why: Why): Result<never, Fault> {
  const fault = {
    code: "AGENT_FAILED",
    command: "office-agent",
    role: "",
    outcome: message,
    stderr: "",
  } as const;
  return err({ ...fault, message, ...why });
}
