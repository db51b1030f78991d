import { isDeepStrictEqual } from "node:util";
import type { JsonObject, JsonValue } from "@uncaged/json-cas";
import type { VariantExample } from "./branches.js";
import { FILLER } from "./scalars.js";

/** A shorter made-up text may be a true one: a pattern of one digit has ten. */
const SHORTEST = 4;

/**
 * What of an output is the prompt's example and no work: one line per text that is still the example's, or one for an
 * output that is an example as a whole and has texts that were made up for it.
 */
export function unfilledIn(output: JsonObject, examples: readonly VariantExample[]): readonly string[] {
  const fillers = new Set(examples.flatMap((found) => [...found.fillers]));
  const left = textsIn(output, "").filter(({ text }) => text.startsWith(FILLER) && fillers.has(text));
  if (left.length > 0)
    return left.map(
      ({ at, text }) => `${at}: ${JSON.stringify(text)} is the text of the example, say what is true`,
    );
  return examples.some((found) => isEcho(output, found)) ? [ECHO] : [];
}

const ECHO = "the header is the example of the prompt, fill in what is true of your work";

function isEcho(output: JsonObject, { example, fillers }: VariantExample): boolean {
  if (example === null || !isDeepStrictEqual(output, example)) return false;
  return textsIn(output, "").some(({ text }) => text.length >= SHORTEST && fillers.has(text));
}

type Found = { readonly at: string; readonly text: string };

function textsIn(value: JsonValue, at: string): readonly Found[] {
  if (typeof value === "string") return [{ at, text: value }];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, member]) => textsIn(member, `${at}/${key}`));
}
