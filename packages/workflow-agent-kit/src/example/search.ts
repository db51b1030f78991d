import { isDeepStrictEqual } from "node:util";
import {
  type Hash,
  type JsonObject,
  type JsonValue,
  type Violation,
  validatePayload,
} from "@uncaged/json-cas";
import { isObject } from "@uncaged/json-schema";
import { isList } from "../schema.js";
import { build, type Draft } from "./build.js";
import type { ShownValues } from "./closed.js";
import { FILLER } from "./scalars.js";

export type VariantExample = {
  /** The variant's schema; `null` if the schema is not a union. */
  readonly variant: JsonValue | null;
  /** `null`: no valid example was found. */
  readonly example: JsonObject | null;
  /** Its texts that are made up. */
  readonly fillers: ReadonlySet<string>;
};

const MOST_TRIES = 60;

/**
 * An object that `schema` accepts, if one was found. `checks` are further schemas that it must satisfy,
 * `hashes` are used for references. Drafts are corrected where the validator complains: the reported place, or the
 * nearest one above it with another alternative, takes the next one.
 */
function findExample(input: Input): Example {
  return search(input, true) ?? search(input, false) ?? NONE;
}

type Example = Omit<VariantExample, "variant">;

const NONE: Example = { example: null, fillers: new Set() };

type Input = {
  readonly root: JsonValue;
  readonly schema: JsonValue;
  readonly checks: readonly JsonValue[];
  readonly hashes: readonly Hash[];
  readonly shown: ShownValues;
};

function search({ root, schema, checks, hashes, shown }: Input, full: boolean): Example | null {
  let picks: ReadonlyMap<string, number> = new Map();
  for (let tries = 0; tries < MOST_TRIES; tries += 1) {
    const made = { offered: new Map(), fillers: new Set<string>(), spent: { nodes: 0 } };
    const draft: Draft = { root, full, picks, hashes, shown, ...made };
    const built = build(draft, schema, { pointer: "", name: "value", depth: 0, active: [], preferred: 0 });
    const value = built?.value ?? null;
    const violations = checks.flatMap((check) => validatePayload(check, value));
    if (isObject(value) && violations.length === 0) return { example: value, fillers: made.fillers };
    const next = correct(draft, violations);
    if (next === null) return null;
    picks = next;
  }
  return null;
}

function correct(draft: Draft, violations: readonly Violation[]): ReadonlyMap<string, number> | null {
  const picks = new Map(draft.picks);
  const moved = new Set<string>();
  for (const { path } of violations) {
    for (let spot: string | null = path; spot !== null; spot = parent(spot)) {
      if ((draft.offered.get(spot) ?? 0) < 2) continue;
      if (moved.has(spot)) break;
      moved.add(spot);
      const next: number = (picks.get(spot) ?? 0) + 1;
      picks.set(spot, next);
      // All alternatives have been tried here, so something above has to change.
      if (next % (draft.offered.get(spot) ?? 1) !== 0) break;
    }
  }
  return moved.size === 0 ? null : picks;
}

function parent(pointer: string): string | null {
  return pointer === "" ? null : pointer.slice(0, pointer.lastIndexOf("/"));
}

const MOST_EXAMPLES = 24;

/** Each example is validated against the complete union, so the total cost grows with the square of its size. */
const MOST_COMPARISONS = 5_000;

/** One example per variant of the root's union, for the first ones; only one if the root is not a union. */
export function examplesOf(
  schema: JsonValue,
  hashes: readonly Hash[],
  shown: ShownValues = new Map(),
): readonly VariantExample[] {
  const key = isObject(schema) ? (["oneOf", "anyOf"].find((name) => isList(schema[name])) ?? null) : null;
  if (!isObject(schema) || key === null) {
    return [{ variant: null, ...findExample({ root: schema, schema, checks: [schema], hashes, shown }) }];
  }
  const { [key]: variants, ...rest } = schema;
  const all = isList(variants) ? variants : [];
  const most = Math.max(1, Math.min(MOST_EXAMPLES, Math.floor(MOST_COMPARISONS / all.length)));
  return all.slice(0, most).map((variant) => {
    const narrowed = narrow(rest, variant);
    const checks = [schema, narrowed];
    return { variant, ...findExample({ root: schema, schema: narrowed, checks, hashes, shown }) };
  });
}

function narrow({ allOf, ...rest }: JsonObject, variant: JsonValue): JsonObject {
  return { ...rest, allOf: [...(isList(allOf) ? allOf : []), variant] };
}

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
