import { isKind } from "../arguments/index.js";
import { type Fields, fieldsOf, isFields, listOf, textOf } from "../wire/index.js";
import { choose } from "./choose.js";
import { decide } from "./decide.js";
import type { Intent, Policy } from "./types.js";

/** What was said of the call before the agent asked. */
type Known = {
  readonly kind: string | null;
  readonly title: string;
  readonly locations: readonly string[];
  readonly inputs: readonly unknown[];
};

export type Answered = {
  readonly answer: Fields;
  /** `null` when it was allowed. */
  readonly rejected: string | null;
};

/** Answers one session/request_permission. */
export function answerPermission(params: Fields, known: Known | null, policy: Policy): Answered {
  const call = fieldsOf(params.toolCall);
  const intent = intentOf(call, known);
  const verdict = decide(intent, policy);
  const { answer, allowed } = choose(params.options, verdict);
  if (allowed) return { answer, rejected: null };
  const what = textOf(call.title) ?? known?.title ?? "a tool call";
  const reason = verdict.allowed ? "the agent offers no way to allow it once" : verdict.reason;
  return { answer, rejected: `rejected ${intent.kinds.join(", ")} (${what.slice(0, 200)}): ${reason}` };
}

// Whatever was said at any time counts: an agent may name a path in the call and leave it out in the question.
function intentOf(call: Fields, known: Known | null): Intent {
  const paths = [...listOf(call.locations), ...listOf(call.content)].flatMap(
    ({ path }) => textOf(path) ?? [],
  );
  const kinds = kindsOf([call.kind, known?.kind]);
  const locations = [...(known?.locations ?? []), ...paths];
  const told = [...(known?.inputs ?? []), ...(isFields(call.rawInput) ? [call.rawInput] : [])];
  // Gemini tells a shell's command in the title and nowhere else.
  const title = textOf(call.title) ?? known?.title ?? "";
  const isInTitle = kinds.includes("execute") && told.length === 0 && locations.length === 0 && title !== "";
  return { kinds, locations, inputs: isInTitle ? [{ command: title }] : told };
}

/** `other` says nothing where something else was said. */
function kindsOf(told: readonly unknown[]): Intent["kinds"] {
  const kinds = [...new Set(told.filter(isKind))].filter((kind) => kind !== "other");
  return kinds.length === 0 ? ["other"] : kinds;
}
