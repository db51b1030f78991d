import { isHash } from "../hash/index.js";
import type { Hash, JsonValue } from "../node/index.js";
import { entriesOf, isObject, keyword, listOf, type SchemaObject } from "../schema/index.js";
import { MAX_DEPTH } from "../storable/index.js";
import { canonicalOrder } from "./order.js";

// Most schemas say with `properties`, `items` and `additionalProperties` alone where references are. For these the way
// to them is found once, and a walk over a hundred thousand nodes does not ask again for each which schemas apply.

/** Where references are in the values of a plain schema. */
export type Plan = {
  /** The value itself is one when it looks like one. */
  readonly isRef: boolean;
  /** In canonical order. */
  readonly named: readonly (readonly [key: string, plan: Plan])[];
  /** Of members that the schema does not name. */
  readonly others: { readonly plan: Plan; readonly names: ReadonlySet<string> } | null;
  readonly items: Plan | null;
};

/** Keywords by which more schemas apply than those of a plan. */
const BEYOND = [
  "$ref",
  "allOf",
  "oneOf",
  "if",
  "dependentSchemas",
  "contains",
  "prefixItems",
  "patternProperties",
  "unevaluatedItems",
  "unevaluatedProperties",
] as const;

/** The plan of a schema; `null` when it is not as plain as that. `referring` are the schemas that lead to references. */
export function planOf(
  schema: JsonValue,
  referring: ReadonlySet<JsonValue>,
  levels: number = MAX_DEPTH,
): Plan | null {
  if (levels === 0 || !isObject(schema) || BEYOND.some((name) => Object.hasOwn(schema, name))) return null;
  const branches = listOf(keyword(schema, "anyOf")).filter((branch) => referring.has(branch));
  if (!branches.every(isBareRef)) return null;
  const planInside = (part: JsonValue): Plan | null => planOf(part, referring, levels - 1);
  const named = namedPlans(schema, referring, planInside);
  const others = planOfPart(keyword(schema, "additionalProperties"), referring, planInside);
  const items = planOfPart(keyword(schema, "items"), referring, planInside);
  if (named === null || others === undefined || items === undefined) return null;
  const isRef = keyword(schema, "format") === "cas_ref" || branches.length > 0;
  const names = new Set(entriesOf(keyword(schema, "properties")).map(([key]) => key));
  return { isRef, named, others: others === null ? null : { plan: others, names }, items };
}

/** `{type: "string", format: "cas_ref"}`: satisfied by whatever looks like a reference, and by nothing else. */
function isBareRef(schema: JsonValue): boolean {
  if (!isObject(schema)) return false;
  return schema.type === "string" && schema.format === "cas_ref" && Object.keys(schema).length === 2;
}

type PlanInside = (part: JsonValue) => Plan | null;

function namedPlans(
  schema: SchemaObject,
  referring: ReadonlySet<JsonValue>,
  planInside: PlanInside,
): Plan["named"] | null {
  const properties = entriesOf(keyword(schema, "properties")).filter(([, inner]) => referring.has(inner));
  const plans = new Map(properties.map(([key, inner]) => [key, planInside(inner)]));
  const named = canonicalOrder([...plans.keys()]).map((key) => [key, plans.get(key) ?? null] as const);
  return named.every(isPlanned) ? named : null;
}

function isPlanned(entry: readonly [string, Plan | null]): entry is readonly [string, Plan] {
  return entry[1] !== null;
}

/** `null` where no references are, `undefined` when there is no plan. */
function planOfPart(
  schema: JsonValue | undefined,
  referring: ReadonlySet<JsonValue>,
  planInside: PlanInside,
): Plan | null | undefined {
  if (schema === undefined || !referring.has(schema)) return null;
  return planInside(schema) ?? undefined;
}

/** Adds the references of a value, in the order of the node's bytes. */
export function follow(plan: Plan, value: JsonValue, found: Set<Hash>): void {
  if (plan.isRef && isHash(value)) found.add(value);
  if (Array.isArray(value)) {
    if (plan.items !== null) for (const item of value) follow(plan.items, item, found);
  } else if (isObject(value)) followMembers(plan, value, found);
}

function followMembers({ named, others }: Plan, value: SchemaObject, found: Set<Hash>): void {
  if (others === null) {
    for (const [key, plan] of named) if (Object.hasOwn(value, key)) follow(plan, value[key] ?? null, found);
    return;
  }
  const plans = new Map(named);
  const planFor = (key: string): Plan | undefined => (others.names.has(key) ? plans.get(key) : others.plan);
  const keys = Object.keys(value).filter((key) => planFor(key) !== undefined);
  for (const key of canonicalOrder(keys)) {
    const plan = planFor(key);
    if (plan !== undefined) follow(plan, value[key] ?? null, found);
  }
}
