import { isObject, type JsonValue } from "../json.js";
import { entriesAt, keyword, listAt, type SchemaObject } from "../schema.js";
import type { Scope } from "./validate.js";

/** `required`: the schemas that the value must satisfy. `satisfied`: also the branches that it happens to satisfy. */
type Reach = "required" | "satisfied";

/** A part of a value and a schema that applies to it because of `keyword`. */
export type Child = {
  readonly key: string | number;
  readonly schema: JsonValue;
  readonly keyword: string;
  /** The names of properties that the schema knows. */
  readonly siblings: readonly string[];
};

/** The schemas that apply to the value itself, each once: through `$ref`, `allOf`, conditions and branches. */
export function applicable(
  scope: Scope,
  schemas: Iterable<JsonValue>,
  value: JsonValue,
  reach: Reach,
): ReadonlySet<JsonValue> {
  // A set that grows while it is walked: a schema that comes back to itself is in it already.
  const found = new Set(schemas);
  for (const schema of found) {
    if (!isObject(schema)) continue;
    scope.spend();
    for (const next of requiredInPlace(scope, schema, value)) found.add(next);
    if (reach === "satisfied") for (const next of satisfiedInPlace(scope, schema, value)) found.add(next);
  }
  return found;
}

function requiredInPlace(scope: Scope, schema: SchemaObject, value: JsonValue): readonly JsonValue[] {
  const ref = keyword(schema, "$ref");
  const dependent = entriesAt(schema, "dependentSchemas");
  scope.spend(dependent.length + listAt(schema, "allOf").length);
  return [
    ...(typeof ref === "string" ? [scope.target(ref)] : []),
    ...listAt(schema, "allOf"),
    ...dependent.filter(([key]) => isObject(value) && Object.hasOwn(value, key)).map(([, inner]) => inner),
    ...chosenBranch(scope, schema, value),
  ];
}

function chosenBranch(scope: Scope, schema: SchemaObject, value: JsonValue): readonly JsonValue[] {
  const condition = keyword(schema, "if");
  if (condition === undefined) return [];
  const branch = keyword(schema, scope.holds(condition, value) ? "then" : "else");
  return branch === undefined ? [] : [branch];
}

function satisfiedInPlace(scope: Scope, schema: SchemaObject, value: JsonValue): readonly JsonValue[] {
  const condition = keyword(schema, "if");
  const branches = [
    ...(condition === undefined ? [] : [condition]),
    ...listAt(schema, "anyOf"),
    ...listAt(schema, "oneOf"),
  ];
  return branches.filter((branch) => scope.holds(branch, value));
}

/** So many names are compared with one that was not known. */
const MOST_SIBLINGS = 500;

/** The parts of the value to which this schema assigns a schema of their own. */
export function children(scope: Scope, schema: SchemaObject, value: JsonValue): readonly Child[] {
  const found: Child[] = [];
  forEachChild(scope, schema, value, (key, inner, name) => {
    found.push(child(key, inner, name));
    return true;
  });
  return found;
}

/** Those of them that the part does not fit, at most `most`. */
export function failingChildren(
  scope: Scope,
  schema: SchemaObject,
  value: JsonValue,
  most: number,
): readonly Child[] {
  const found: Child[] = [];
  const named = keyword(schema, "properties");
  const siblings = isObject(named) ? Object.keys(named).slice(0, MOST_SIBLINGS) : [];
  forEachChild(scope, schema, value, (key, inner, name, part) => {
    const known = name === "additionalProperties" ? siblings : [];
    if (!scope.holds(inner, part)) found.push({ key, schema: inner, keyword: name, siblings: known });
    return found.length < most;
  });
  return found;
}

/** Whether every part fits the schemas that this one assigns to it. */
export function membersHold(scope: Scope, schema: SchemaObject): (value: JsonValue) => boolean {
  const holds = (_key: string | number, inner: JsonValue, _name: string, part: JsonValue): boolean =>
    scope.holds(inner, part);
  return (value) => forEachChild(scope, schema, value, holds);
}

type Visit = (key: string | number, schema: JsonValue, keyword: string, part: JsonValue) => boolean;

/** Goes on until `visit` says `false`; gives whether it never did. */
function forEachChild(scope: Scope, schema: SchemaObject, value: JsonValue, visit: Visit): boolean {
  if (Array.isArray(value)) return forEachItem(scope, schema, value, visit);
  return isObject(value) ? forEachProperty(scope, schema, value, visit) : true;
}

function forEachItem(
  { spend }: Scope,
  schema: SchemaObject,
  value: readonly JsonValue[],
  visit: Visit,
): boolean {
  const prefix = listAt(schema, "prefixItems");
  const rest = keyword(schema, "items");
  const end = rest === undefined ? Math.min(prefix.length, value.length) : value.length;
  for (let key = 0; key < end; key += 1) {
    spend();
    const own = prefix[key];
    const inner = own ?? rest;
    if (inner === undefined) continue;
    const name = own === undefined ? "items" : "prefixItems";
    if (!visit(key, inner, name, value[key] ?? null)) return false;
  }
  return true;
}

function forEachProperty(scope: Scope, schema: SchemaObject, value: SchemaObject, visit: Visit): boolean {
  const named = keyword(schema, "properties");
  const patterns = entriesAt(schema, "patternProperties");
  const additional = keyword(schema, "additionalProperties");
  for (const key of Object.keys(value)) {
    scope.spend();
    const part = value[key] ?? null;
    const own = isObject(named) ? keyword(named, key) : undefined;
    if (own !== undefined && !visit(key, own, "properties", part)) return false;
    let isKnown = own !== undefined;
    for (const [pattern, inner] of patterns) {
      if (!scope.keyMatches(pattern, key)) continue;
      isKnown = true;
      if (!visit(key, inner, "patternProperties", part)) return false;
    }
    if (isKnown || additional === undefined) continue;
    if (!visit(key, additional, "additionalProperties", part)) return false;
  }
  return true;
}

function child(key: string | number, schema: JsonValue, name: string): Child {
  return { key, schema, keyword: name, siblings: [] };
}

/** The parts that `contains` counts, and those that only `unevaluatedItems` or `unevaluatedProperties` speaks about. */
export function furtherChildren(scope: Scope, schema: SchemaObject, value: JsonValue): readonly Child[] {
  return [...contained(scope, schema, value), ...unevaluated(scope, schema, value)];
}

function contained(scope: Scope, schema: SchemaObject, value: JsonValue): readonly Child[] {
  const inner = keyword(schema, "contains");
  if (inner === undefined || !Array.isArray(value)) return [];
  return value.flatMap((item, key) => (scope.holds(inner, item) ? [child(key, inner, "contains")] : []));
}

export function unevaluated(scope: Scope, schema: SchemaObject, value: JsonValue): readonly Child[] {
  const name = Array.isArray(value) ? "unevaluatedItems" : "unevaluatedProperties";
  const inner = keyword(schema, name);
  if (inner === undefined || typeof value !== "object" || value === null) return [];
  const seen = evaluatedKeys(scope, schema, value);
  scope.spend(seen.size);
  const keys = Array.isArray(value) ? value.map((_, index) => index) : Object.keys(value);
  return keys.filter((key) => !seen.has(key)).map((key) => child(key, inner, name));
}

function evaluatedKeys(scope: Scope, owner: SchemaObject, value: JsonValue): ReadonlySet<string | number> {
  const seen = new Set<string | number>();
  for (const schema of applicable(scope, [owner], value, "satisfied")) {
    if (!isObject(schema)) continue;
    const found = schema === owner ? contained(scope, schema, value) : furtherChildren(scope, schema, value);
    for (const { key } of [...children(scope, schema, value), ...found]) seen.add(key);
  }
  return seen;
}

export function partOf(value: JsonValue, key: string | number): JsonValue {
  if (Array.isArray(value)) return value[Number(key)] ?? null;
  return isObject(value) ? (keyword(value, String(key)) ?? null) : null;
}
