import type { JsonObject, JsonValue } from "@uncaged/json-cas";
import {
  entriesAt,
  firstOf,
  gather,
  isObject,
  joined,
  listAt,
  propertiesOf,
  requiredOf,
  samplePattern,
  textsAt,
} from "@uncaged/json-schema";
import { matchesPattern, numberAt } from "../schema.js";
import type { Built, Draft, Spot } from "./branches.js";

type Build = (draft: Draft, schema: JsonValue, spot: Spot) => Built;

const MOST_ITEMS = 64;

/** A list as short as the schema allows; a full draft shows one item even if none is required. */
export function buildList(draft: Draft, conjuncts: readonly JsonObject[], spot: Spot, build: Build): Built {
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
export function buildObject(draft: Draft, conjuncts: readonly JsonObject[], spot: Spot, build: Build): Built {
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
