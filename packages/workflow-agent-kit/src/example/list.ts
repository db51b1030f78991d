import type { JsonObject, JsonValue } from "@uncaged/json-cas";
import { firstOf, gather, joined, listAt, numberAt } from "../schema/index.js";
import type { Built, Draft, Spot } from "./types.js";

type Build = (draft: Draft, schema: JsonValue, spot: Spot) => Built;

const MOST_ITEMS = 64;

/** A list as short as the schema allows; a full draft shows one item where none is needed. */
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
