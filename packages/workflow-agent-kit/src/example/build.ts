import type { Hash, JsonObject, JsonValue } from "@uncaged/json-cas";
import {
  entriesAt,
  firstOf,
  gather,
  isObject,
  joined,
  listAt,
  listedValues,
  propertiesOf,
  requiredOf,
  samplePattern,
  type TypeName,
  textsAt,
  typesOf,
} from "@uncaged/json-schema";
import { isList, matchesPattern, memberOf, numberAt } from "../schema.js";
import { authoredCandidates, scalarCandidates } from "./scalars.js";

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

const MOST_NODES = 2000;
const DEEPEST = 24;

const ANY_TYPE: readonly TypeName[] = ["string", "integer", "boolean", "object", "array", "null"];

type Alternative = () => Built;

/** A value for the schema at the spot, by the draft's picks. */
export function build(draft: Draft, schema: JsonValue, spot: Spot): Built {
  draft.spent.nodes += 1;
  if (draft.spent.nodes > MOST_NODES || spot.depth > DEEPEST) return null;
  const { refs } = gather(draft.root, schema);
  const inside = { ...spot, active: [...spot.active, ...refs] };
  const alternatives = branchesOf(draft.root, schema).flatMap((conjuncts) =>
    alternativesOf(draft, conjuncts, inside),
  );
  draft.offered.set(spot.pointer, alternatives.length);
  if (alternatives.length === 0) return null;
  const pick = draft.picks.get(spot.pointer) ?? spot.preferred;
  return alternatives[pick % alternatives.length]?.() ?? null;
}

function alternativesOf(draft: Draft, conjuncts: readonly JsonObject[], spot: Spot): readonly Alternative[] {
  const listed = listedValues(conjuncts);
  if (listed !== null) return bestFirst(draft, spot, listed).map(given);
  const types = typesOf(conjuncts) ?? ANY_TYPE;
  // An author's `true` is no reason to show one: what a model repeats must not open a gate.
  const authored = authoredCandidates(conjuncts).filter((value) => typeof value !== "boolean");
  return [
    ...bestFirst(draft, spot, authored).map(given),
    ...types.flatMap((type) => alternativesOfType(draft, type, conjuncts, spot)),
  ];
}

function alternativesOfType(
  draft: Draft,
  type: TypeName,
  conjuncts: readonly JsonObject[],
  spot: Spot,
): readonly Alternative[] {
  if (type === "object") return [() => buildObject(draft, conjuncts, spot)];
  if (type === "array") return [() => buildList(draft, conjuncts, spot)];
  const candidates = scalarCandidates(type, conjuncts, { name: spot.name, hashes: draft.hashes });
  return bestFirst(draft, spot, candidates).map((value) => () => {
    const isMadeUp = !draft.hashes.some((hash) => hash === value);
    if (typeof value === "string" && isMadeUp) draft.fillers.add(value);
    return { value };
  });
}

function bestFirst({ shown }: Draft, { pointer }: Spot, values: readonly JsonValue[]): readonly JsonValue[] {
  const best = shown.get(pointer);
  return best === undefined || !values.includes(best)
    ? values
    : [best, ...values.filter((value) => value !== best)];
}

function given(value: JsonValue): Alternative {
  return () => ({ value });
}

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

const MOST_ITEMS = 64;

/** A list as short as the schema allows; a full draft shows one item even if none is required. */
function buildList(draft: Draft, conjuncts: readonly JsonObject[], spot: Spot): Built {
  const length = lengthOf(draft, conjuncts, spot);
  if (length > MOST_ITEMS) return null;
  const distinct = conjuncts.some((schema) => schema.uniqueItems === true);
  const items: JsonValue[] = [];
  for (let index = 0; index < length; index += 1) {
    const item = build(draft, itemSchema(conjuncts, index), itemSpot(spot, index, distinct));
    if (item === null) return items.length >= leastItems(conjuncts) ? { value: items } : null;
    items.push(item.value);
  }
  return { value: items };
}

function itemSpot(spot: Spot, index: number, distinct: boolean): Spot {
  return {
    ...spot,
    pointer: `${spot.pointer}/${index}`,
    depth: spot.depth + 1,
    preferred: distinct ? index : 0,
  };
}

function leastItems(conjuncts: readonly JsonObject[]): number {
  const contained = conjuncts.map((schema) =>
    Object.hasOwn(schema, "contains") ? (numberAt(schema, "minContains") ?? 1) : 0,
  );
  return Math.max(0, ...conjuncts.map((schema) => numberAt(schema, "minItems") ?? 0), ...contained);
}

function lengthOf(draft: Draft, conjuncts: readonly JsonObject[], spot: Spot): number {
  const least = leastItems(conjuncts);
  if (!draft.full) return least;
  const tuple = Math.max(0, ...conjuncts.map((schema) => listAt(schema, "prefixItems").length));
  const shown = Math.max(tuple, showsItem(draft, conjuncts, spot) ? 1 : 0, least);
  const most = Math.min(
    MOST_ITEMS + 1,
    ...conjuncts.map((schema) => numberAt(schema, "maxItems") ?? MOST_ITEMS),
  );
  return Math.max(least, Math.min(shown, most));
}

function showsItem(draft: Draft, conjuncts: readonly JsonObject[], spot: Spot): boolean {
  const items = firstOf(conjuncts, "items");
  if (items === null) return false;
  const { refs, impossible } = gather(draft.root, items);
  return !impossible && !refs.some((ref) => spot.active.includes(ref));
}

/** The schema of one item: its place in the tuple, else `items`, joined with `contains`. */
function itemSchema(conjuncts: readonly JsonObject[], index: number): JsonValue {
  const applied = conjuncts.flatMap((schema): readonly JsonValue[] => {
    const tuple = listAt(schema, "prefixItems");
    const placed = tuple[index];
    const own = placed ?? (Object.hasOwn(schema, "items") ? (schema.items ?? true) : null);
    const contained = index < (numberAt(schema, "minContains") ?? 1) ? (schema.contains ?? null) : null;
    return [own, contained].filter((part) => part !== null);
  });
  return applied.length === 0 ? { type: "string" } : joined(applied);
}

/** Below this depth and beyond this many nodes only required parts are shown. */
const DEEPEST_OPTIONAL = 5;
const MOST_OPTIONAL_NODES = 200;
const MOST_MADE_UP = 50;

/** An object with its required fields, and in a full draft the optional ones that can be built. */
function buildObject(draft: Draft, conjuncts: readonly JsonObject[], spot: Spot): Built {
  const properties = propertiesOf(conjuncts);
  const required = withDependents(conjuncts, requiredOf(conjuncts));
  const members: [string, JsonValue][] = [];
  for (const name of new Set([...required, ...properties.keys(), ...madeUpNames(draft, conjuncts)])) {
    const schema = properties.get(name) ?? schemaOfOther(conjuncts, name);
    const mustStand = required.includes(name);
    if (!mustStand && properties.has(name) && !showsOptional(draft, schema, spot)) continue;
    const member = build(draft, schema, below(spot, name));
    if (member !== null) members.push([name, member.value]);
    else if (mustStand) return null;
  }
  return { value: Object.fromEntries(members) };
}

function below(spot: Spot, name: string): Spot {
  const token = name.replaceAll("~", "~0").replaceAll("/", "~1");
  return { ...spot, pointer: `${spot.pointer}/${token}`, name, depth: spot.depth + 1, preferred: 0 };
}

function showsOptional(draft: Draft, schema: JsonValue, spot: Spot): boolean {
  if (!draft.full || spot.depth >= DEEPEST_OPTIONAL || draft.spent.nodes > MOST_OPTIONAL_NODES) return false;
  const { refs, impossible } = gather(draft.root, schema);
  return !impossible && !refs.some((ref) => spot.active.includes(ref));
}

/** Required names and, over and over, those that `dependentRequired` adds to them. */
function withDependents(conjuncts: readonly JsonObject[], required: readonly string[]): readonly string[] {
  const names = new Set(required);
  for (const name of names) {
    for (const schema of conjuncts) {
      const dependents = schema.dependentRequired;
      if (isObject(dependents)) for (const added of textsAt(dependents, name)) names.add(added);
    }
  }
  return [...names];
}

/** Names for a map: as many as `minProperties` requires, or one as an example of a field. */
function madeUpNames(draft: Draft, conjuncts: readonly JsonObject[]): readonly string[] {
  const declared = propertiesOf(conjuncts).size;
  const least = Math.max(0, ...conjuncts.map((schema) => numberAt(schema, "minProperties") ?? 0));
  const [pattern] = conjuncts.flatMap((schema) => entriesAt(schema, "patternProperties"))[0] ?? [];
  const isMap = pattern !== undefined || isObject(firstOf(conjuncts, "additionalProperties"));
  const wanted = Math.max(least - declared, draft.full && declared === 0 && isMap ? 1 : 0);
  if (wanted <= 0 || wanted > MOST_MADE_UP) return [];
  return Array.from({ length: wanted }, (_, index) => madeUpName(pattern ?? null, index));
}

function madeUpName(pattern: string | null, index: number): string {
  return (pattern === null ? null : samplePattern(pattern, index)) ?? `name${index + 1}`;
}

/** What applies to a field that `properties` does not name. */
function schemaOfOther(conjuncts: readonly JsonObject[], name: string): JsonValue {
  const matching = conjuncts
    .flatMap((schema) => entriesAt(schema, "patternProperties"))
    .filter(([pattern]) => samplePattern(pattern, 0) === name || matchesPattern(pattern, name))
    .map(([, schema]) => schema);
  if (matching.length > 0) return joined(matching);
  const others = firstOf(conjuncts, "additionalProperties");
  return isObject(others) ? others : { type: "string" };
}
