import type { JsonValue } from "../json.js";
import { isObject, pointer } from "../json.js";
import type { Violation } from "../problems.js";
import { entriesOf, keyword, listOf, type SchemaObject, textsOf } from "../schema.js";
import { suggest } from "../suggest.js";
import type { Scope } from "./scope.js";
import type { Site } from "./validate.js";
import { jsonWords, schemaWords } from "./words.js";

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
  const dependent = entriesOf(keyword(schema, "dependentSchemas"));
  scope.spend(dependent.length + listOf(keyword(schema, "allOf")).length);
  return [
    ...(typeof ref === "string" ? [scope.target(ref)] : []),
    ...listOf(keyword(schema, "allOf")),
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
    ...listOf(keyword(schema, "anyOf")),
    ...listOf(keyword(schema, "oneOf")),
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
  const prefix = listOf(keyword(schema, "prefixItems"));
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
  const patterns = entriesOf(keyword(schema, "patternProperties"));
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

/** No person reads more. */
const MOST_NAMES = 100;

/** Missing properties, each at the place where it should be. */
export function explainRequired(site: Site, schema: SchemaObject): readonly Violation[] {
  const { scope, value, path } = site;
  if (!isObject(value)) return [];
  const missing = (key: string): boolean => !Object.hasOwn(value, key);
  const always = textsOf(keyword(schema, "required")).filter(missing);
  const because = entriesOf(keyword(schema, "dependentRequired")).filter(([key]) =>
    Object.hasOwn(value, key),
  );
  return [
    ...always
      .slice(0, MOST_NAMES)
      .map((key) => lacks(path, key, "required", propertyWords(scope, schema, key))),
    ...because.flatMap(([cause, names]) =>
      textsOf(names)
        .filter(missing)
        .slice(0, MOST_NAMES)
        .map((key) => lacks(path, key, "dependentRequired", `a value, as "${cause}" is present`)),
    ),
  ];
}

function lacks(path: string, key: string, name: string, expected: string): Violation {
  return { path: `${path}${pointer([key])}`, keyword: name, expected, got: "nothing" };
}

function propertyWords(scope: Scope, schema: SchemaObject, key: string): string {
  const named = keyword(schema, "properties");
  const property = isObject(named) ? keyword(named, key) : undefined;
  if (property === undefined) return "a value";
  const ref = isObject(property) ? keyword(property, "$ref") : undefined;
  return schemaWords(typeof ref === "string" ? scope.target(ref) : property, scope.formats);
}

/** Property names that `propertyNames` refuses. */
export function explainNames(site: Site, schema: SchemaObject): readonly Violation[] {
  const { scope, value, path } = site;
  const inner = keyword(schema, "propertyNames");
  if (inner === undefined || !isObject(value)) return [];
  const refused = Object.keys(value).filter((key) => !scope.holds(inner, key));
  return refused.slice(0, MOST_NAMES).map((key) => {
    const reasons = site.explain(scope, [inner], key, "").map(({ expected }) => expected);
    const expected = `a property name that is ${reasons.join(" and ")}`;
    return { path: `${path}${pointer([key])}`, keyword: "propertyNames", expected, got: jsonWords(key) };
  });
}

/** What stands where nothing may stand, with the name that was probably meant. */
export function extraWords(child: Child, parent: JsonValue): Pick<Violation, "expected"> {
  if (typeof child.key === "number") return { expected: "no further item" };
  const known = child.siblings.filter((name) => !isObject(parent) || !Object.hasOwn(parent, name));
  const meant = child.keyword === "properties" ? null : suggest(child.key, known);
  return { expected: `no property "${child.key}"${meant === null ? "" : ` (did you mean "${meant}"?)`}` };
}
