import {
  applicable,
  children,
  entriesOf,
  escapeSegment,
  furtherChildren,
  isObject,
  keyword,
  listOf,
  MAX_DEPTH,
  type Positions,
  resolveRef,
  type SchemaObject,
  type Scope,
  subschemas,
  TooMuchWork,
  type Validator,
} from "@uncaged/json-schema";
import { canonicalOrder } from "./encode.js";
import { CasError } from "./fault.js";
import { isHash } from "./hash.js";
import type { CasNode, Hash, JsonValue } from "./node.js";
import { createValidator, type Reader, validatorIn } from "./node-type.js";

/** Where a payload first has a hash, as a JSON Pointer: for a sentence about a reference. "" where it has it nowhere. */
export function placeOf(payload: JsonValue, hash: Hash): string {
  return find(payload, hash, "") ?? "";
}

function find(value: JsonValue, hash: Hash, at: string): string | null {
  if (value === hash) return at;
  if (typeof value !== "object" || value === null) return null;
  for (const [key, member] of Object.entries(value)) {
    const found = find(member, hash, `${at}/${escapeSegment(key)}`);
    if (found !== null) return found;
  }
  return null;
}

// Most schemas say with `properties`, `items` and `additionalProperties` alone where references are. For these the way
// to them is found once, and a walk over a hundred thousand nodes does not ask again for each which schemas apply.

/** Where references are in the values of a plain schema. */
type Plan = {
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
function planOf(
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
function follow(plan: Plan, value: JsonValue, found: Set<Hash>): void {
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

/**
 * The schemas of a document from which a `cas_ref` can be reached: only these need to be followed. Most documents
 * declare a few references, or none, among many properties.
 */
function referringSchemas(positions: Positions): ReadonlySet<JsonValue> {
  const objects = positions.all.map(({ schema }) => schema).filter(isObject);
  const found = new Set<JsonValue>(objects.filter((schema) => keyword(schema, "format") === "cas_ref"));
  // Inner schemas stand behind outer ones, so one round from the end does for all but references backwards.
  const fromTheEnd = objects.reverse();
  for (let before = -1; before !== found.size && found.size > 0; ) {
    before = found.size;
    for (const schema of fromTheEnd) if (leadsTo(schema, positions, found)) found.add(schema);
  }
  return found;
}

function leadsTo(schema: SchemaObject, positions: Positions, found: ReadonlySet<JsonValue>): boolean {
  const ref = keyword(schema, "$ref");
  const target = typeof ref === "string" ? resolveRef(positions, ref) : undefined;
  return (
    (target !== undefined && found.has(target)) || subschemas(schema).some((inner) => found.has(inner.schema))
  );
}

/**
 * The references that a payload holds according to its schema: every string to which a subschema with
 * `format: "cas_ref"` applies. Each once, in the order in which they stand in the node's bytes, that is with object
 * keys in canonical order (shorter first, then by bytes), wherever the object came from. Throws `INVALID_SCHEMA` when
 * the schema asks for unbounded work.
 */
export function refsOf(schema: JsonValue, payload: JsonValue): readonly Hash[] {
  return refsIn(createValidator(schema), payload);
}

/** `refsOf` with a prepared schema. */
function refsIn(validator: Validator, payload: JsonValue): readonly Hash[] {
  const { referring, plan } = waysIn(validator);
  if (referring.size === 0) return [];
  const found = new Set<Hash>();
  if (plan !== null) {
    follow(plan, payload, found);
    return [...found];
  }
  try {
    const scope = validator.open(payload);
    collect({ scope, referring, found }, [scope.root], payload);
    return [...found];
  } catch (error) {
    if (!(error instanceof TooMuchWork || error instanceof RangeError)) throw error;
    const message = "its references and branches multiply beyond what can be followed";
    throw new CasError({ code: "INVALID_SCHEMA", problems: [{ path: "", message, suggestion: null }] });
  }
}

/** How references are found in the values of a schema. */
type Ways = {
  readonly referring: ReadonlySet<JsonValue>;
  /** `null` when the schemas that apply have to be asked for with each value. */
  readonly plan: Plan | null;
};

const known = new WeakMap<Validator, Ways>();

function waysIn(validator: Validator): Ways {
  const found = known.get(validator);
  if (found !== undefined) return found;
  const { positions } = validator;
  const referring = referringSchemas(positions);
  const ways = { referring, plan: planOf(positions.all[0]?.schema ?? null, referring) };
  known.set(validator, ways);
  return ways;
}

type Search = {
  readonly scope: Scope;
  readonly referring: ReadonlySet<JsonValue>;
  readonly found: Set<Hash>;
};

function collect(search: Search, schemas: readonly JsonValue[], value: JsonValue): void {
  const applying = [...applicable(search.scope, schemas, value, "satisfied")].filter(isObject);
  if (isHash(value) && applying.some((schema) => keyword(schema, "format") === "cas_ref")) {
    search.found.add(value);
  }
  if (typeof value !== "object" || value === null) return;
  const parts = partsOf(search, applying, value);
  for (const [key, part] of entriesInOrder(value, parts)) collect(search, parts.get(key) ?? [], part);
}

type Parts = ReadonlyMap<string | number, readonly JsonValue[]>;

/** The parts of the value in which references may be, and the schemas that say so. */
function partsOf({ scope, referring }: Search, applying: readonly SchemaObject[], value: JsonValue): Parts {
  const parts = new Map<string | number, JsonValue[]>();
  for (const schema of applying.filter((one) => referring.has(one))) {
    const found = [...children(scope, schema, value), ...furtherChildren(scope, schema, value)];
    for (const { key, schema: inner } of found) {
      if (referring.has(inner)) parts.set(key, [...(parts.get(key) ?? []), inner]);
    }
  }
  return parts;
}

type Entry = readonly [key: string | number, part: JsonValue];

function entriesInOrder(value: object & JsonValue, parts: Parts): readonly Entry[] {
  if (Array.isArray(value)) return value.map((item, index) => [index, item]);
  if (!isObject(value)) return [];
  const keys = Object.keys(value).filter((key) => parts.has(key));
  return canonicalOrder(keys).map((key) => [key, value[key] ?? null]);
}

/** The references that a node holds according to its schema, as `refsOf` finds them. Throws `UNKNOWN_TYPE`. */
export function refs(store: Reader, node: CasNode): readonly Hash[] {
  return refsIn(validatorIn(store, node.type), node.payload);
}

/** A node on the way; `node` is `null` where the store does not have it. `referrer` is who was first to refer to it. */
export type WalkVisit = {
  readonly hash: Hash;
  readonly node: CasNode | null;
  readonly referrer: Hash | null;
};

export type WalkOptions = {
  /** Also visit the schema of each node, after its references. */
  readonly followTypes: boolean;
};

/**
 * Visits everything that can be reached from a node, breadth first, each node once. References come in the order of
 * `refs`. Throws `NODE_DAMAGED` for a node that cannot be read and `UNKNOWN_TYPE` for one whose schema is missing.
 */
export function walk(
  store: Reader,
  hash: Hash,
  visit: (visited: WalkVisit) => void,
  options: WalkOptions = { followTypes: false },
): void {
  const seen = new Set<Hash>([hash]);
  // A list that is walked while it grows: neither recursion nor a shift of what is left.
  const queue: Pick<WalkVisit, "hash" | "referrer">[] = [{ hash, referrer: null }];
  for (const entry of queue) {
    const node = store.get(entry.hash);
    visit({ ...entry, node });
    if (node === null) continue;
    for (const next of outgoing(store, node, options)) {
      if (seen.has(next)) continue;
      seen.add(next);
      queue.push({ hash: next, referrer: entry.hash });
    }
  }
}

function outgoing(store: Reader, node: CasNode, options: WalkOptions): readonly Hash[] {
  const found = refs(store, node);
  return options.followTypes ? [...found, node.type] : found;
}
