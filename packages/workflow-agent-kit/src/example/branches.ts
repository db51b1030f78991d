import type { Hash, JsonObject, JsonValue } from "@uncaged/json-cas";
import { gather } from "@uncaged/json-schema";
import { isList, memberOf } from "../schema.js";

const MOST_BRANCHES = 32;
const DEEPEST_CHOICE = 8;

/** Every way to choose among a schema's unions and conditions, each as the parts that then apply; bounded. */
export function branchesOf(root: JsonValue, schema: JsonValue): readonly (readonly JsonObject[])[] {
  const { conjuncts, impossible } = gather(root, schema);
  return impossible ? [] : expand(root, conjuncts, 0);
}

function expand(
  root: JsonValue,
  conjuncts: readonly JsonObject[],
  depth: number,
): readonly (readonly JsonObject[])[] {
  const chosen = conjuncts.find((schema) => choiceKey(schema) !== null);
  if (chosen === undefined || depth > DEEPEST_CHOICE) return [conjuncts];
  const key = choiceKey(chosen) ?? "";
  const { [key]: _choice, ...plain } = chosen;
  const others = conjuncts.filter((schema) => schema !== chosen);
  const branches: (readonly JsonObject[])[] = [];
  for (const choice of choicesOf(chosen, key)) {
    if (branches.length >= MOST_BRANCHES) break;
    const { conjuncts: added, impossible } = gather(root, choice);
    if (!impossible) branches.push(...expand(root, [...others, plain, ...added], depth + 1));
  }
  return branches.slice(0, MOST_BRANCHES);
}

function choiceKey(schema: JsonObject): string | null {
  return ["oneOf", "anyOf", "if"].find((key) => Object.hasOwn(schema, key)) ?? null;
}

function choicesOf(schema: JsonObject, key: string): readonly JsonValue[] {
  const value = memberOf(schema, key);
  if (isList(value)) return value;
  return [{ allOf: [value, memberOf(schema, "then") ?? true] }, memberOf(schema, "else") ?? true];
}

/** One try at an example. */
export type Draft = {
  readonly root: JsonValue;
  /** Optional fields too. */
  readonly full: boolean;
  /** JSON Pointer to the number of the alternative to take there; absent: the first. */
  readonly picks: ReadonlyMap<string, number>;
  /** Filled while building: JSON Pointer to how many alternatives there are. */
  readonly offered: Map<string, number>;
  /** Hashes used for references. */
  readonly hashes: readonly Hash[];
  /** JSON Pointer to the value that is best shown there. */
  readonly shown: ReadonlyMap<string, JsonValue>;
  /** Filled while building: the texts that are made up, neither listed nor given by the author. */
  readonly fillers: Set<string>;
  /** Nodes built so far, boxed: deep schemas end here. */
  readonly spent: { nodes: number };
};

/** Where in the value the draft is being built. */
export type Spot = {
  readonly pointer: string;
  /** What a made-up text is called after. */
  readonly name: string;
  readonly depth: number;
  /** References around this spot. */
  readonly active: readonly string[];
  /** Which alternative to take when nothing is picked: items of a set must differ. */
  readonly preferred: number;
};

/** A value, or `null`: nothing can be built here. */
export type Built = { readonly value: JsonValue } | null;

export type VariantExample = {
  /** The variant's schema; `null` if the schema is not a union. */
  readonly variant: JsonValue | null;
  /** `null`: no valid example was found. */
  readonly example: JsonObject | null;
  /** Its texts that are made up. */
  readonly fillers: ReadonlySet<string>;
};
