import { type Fields, listOf, textOf } from "../wire/index.js";
import type { Verdict } from "./types.js";

/** The protocol's answer without a choice. */
export const CANCELLED: Fields = { outcome: { outcome: "cancelled" } };

/**
 * The agent's option of the verdict's kind. One that holds for ever is taken only where `--allow` stands for ever too:
 * it would settle calls that nobody has looked at yet. Without a fitting option the answer is a rejection, in the end
 * "cancelled".
 */
export function choose(
  options: unknown,
  { allowed, named }: Verdict,
): { readonly answer: Fields; readonly allowed: boolean } {
  const wanted = allowed ? ["allow_once", ...(named ? ["allow_always"] : [])] : [];
  const yes = optionOf(options, wanted);
  if (yes !== null) return { answer: selected(yes), allowed: true };
  const no = optionOf(options, ["reject_once", "reject_always"]);
  return { answer: no === null ? CANCELLED : selected(no), allowed: false };
}

function optionOf(options: unknown, kinds: readonly string[]): string | null {
  const listed = listOf(options);
  const found = kinds
    .map((kind) => listed.find((option) => option.kind === kind))
    .find((one) => one !== undefined);
  return textOf(found?.optionId);
}

function selected(optionId: string): Fields {
  return { outcome: { outcome: "selected", optionId } };
}
