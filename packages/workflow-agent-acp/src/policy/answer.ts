import { isKind } from "../arguments/index.js";
import { type Fields, fieldsOf, listOf, textOf } from "../wire/index.js";
import { choose } from "./choose.js";
import { addsTo, decide, foldersAfter } from "./decide.js";
import type { Intent, Policy } from "./types.js";

/** What was said of the call before the agent asked. */
export type Known = {
  readonly kind: string | null;
  readonly title: string;
  readonly locations: readonly string[];
  readonly inputs: readonly unknown[];
  readonly content: readonly Fields[];
};

export type Answered = {
  readonly answer: Fields;
  /** `null` when it was allowed. */
  readonly rejected: string | null;
  /** What the call was taken for. */
  readonly intent: Intent;
  /** Folders that the agent's shell may be in afterwards. */
  readonly entered: readonly string[];
};

/** Answers one session/request_permission. */
export function answerPermission(params: Fields, known: Known | null, policy: Policy): Answered {
  const call = fieldsOf(params.toolCall);
  const intent = intentOf(call, known);
  const verdict = decide(intent, policy);
  const { answer, allowed } = choose(params.options, verdict);
  if (allowed) return { answer, rejected: null, intent, entered: foldersAfter(intent, policy) };
  const reason = verdict.allowed ? "the agent offers no way to allow it once" : verdict.reason;
  return { answer, rejected: `rejected ${named(intent, call, known)}: ${reason}`, intent, entered: [] };
}

/**
 * Looks once more at a call that was allowed, with what an update adds to it: why it would not have been, or `null`. What
 * the update repeats is not judged again, since the call itself may have changed the folder.
 */
export function rejectChange(asked: Intent, update: Fields, known: Known, policy: Policy): string | null {
  // The title of a call that is over tells its result.
  const isOver = update.status === "completed" || update.status === "failed";
  const said = isOver ? { ...update, title: null } : update;
  const told = intentOf(said, isOver ? { ...known, title: "" } : known);
  const all: Intent = {
    kinds: kindsOf([...asked.kinds, ...told.kinds]),
    locations: [...asked.locations, ...told.locations],
    inputs: [...asked.inputs, ...told.inputs],
  };
  if (!addsTo(asked, all, policy)) return null;
  const verdict = decide(all, policy);
  return verdict.allowed ? null : `rejected ${named(all, update, known)}: ${verdict.reason}`;
}

function named({ kinds }: Intent, call: Fields, known: Known | null): string {
  const what = textOf(call.title) ?? known?.title ?? "a tool call";
  return `${kinds.join(", ")} (${what.slice(0, 200)})`;
}

// Whatever was said at any time counts: an agent may name a path in the call and leave it out in the question.
function intentOf(call: Fields, known: Known | null): Intent {
  const content = [...listOf(call.content), ...(known?.content ?? [])];
  const paths = [...listOf(call.locations), ...content].flatMap(({ path }) => textOf(path) ?? []);
  const kinds = kindsOf([call.kind, known?.kind]);
  const locations = [...(known?.locations ?? []), ...paths];
  const told = [...(known?.inputs ?? []), call.rawInput].filter(
    (input) => input !== undefined && input !== null,
  );
  // Gemini tells a shell's command in the title and nowhere else.
  const titles = kinds.includes("execute") && told.length === 0 ? [known?.title, textOf(call.title)] : [];
  const commands = titles.filter((title) => title !== undefined && title !== null && title !== "");
  return { kinds, locations, inputs: [...told, ...commands.map((command) => ({ command }))] };
}

/** `other` says nothing where something else was said. */
function kindsOf(told: readonly unknown[]): Intent["kinds"] {
  const kinds = [...new Set(told.filter(isKind))].filter((kind) => kind !== "other");
  return kinds.length === 0 ? ["other"] : kinds;
}
