import type { JsonObject, JsonValue } from "@uncaged/json-cas";
import { entriesAt, gather, isList, listAt, memberOf, textsAt } from "../schema/index.js";
import { matchesPattern } from "./pattern.js";

/** The top-level keys that a schema declares. */
type Declared = {
  /** `additionalProperties` (or `unevaluatedProperties`) allows every key explicitly. */
  readonly everything: boolean;
  readonly names: ReadonlySet<string>;
  readonly patterns: readonly string[];
};

/** The part of `data` whose keys the schema declares; what is left out is nobody's field. */
export function selectDeclared(schema: JsonValue, data: JsonObject): JsonObject {
  const { everything, names, patterns } = declaredKeys(schema);
  if (everything) return data;
  const known = (key: string): boolean =>
    names.has(key) || patterns.some((pattern) => matchesPattern(pattern, key));
  return Object.fromEntries(Object.entries(data).filter(([key]) => known(key)));
}

/** The names that the schema spells out, for suggestions. */
export function declaredNames(schema: JsonValue): ReadonlySet<string> {
  return declaredKeys(schema).names;
}

function declaredKeys(root: JsonValue): Declared {
  const schemas = applied(root);
  return {
    everything: schemas.some((schema) => OPENERS.some((key) => allows(schema, key))),
    names: new Set(schemas.flatMap(namesIn)),
    patterns: schemas.flatMap((schema) => entriesAt(schema, "patternProperties").map(([name]) => name)),
  };
}

/** A field that is required is declared, even where nothing is said of its value: without it no reply were valid. */
function namesIn(schema: JsonObject): readonly string[] {
  const dependents = entriesAt(schema, "dependentRequired").flatMap(([name, names]) =>
    isList(names) ? [name, ...names.filter((member) => typeof member === "string")] : [name],
  );
  const properties = entriesAt(schema, "properties").map(([name]) => name);
  return [...properties, ...textsAt(schema, "required"), ...dependents];
}

const OPENERS = ["additionalProperties", "unevaluatedProperties"];

function allows(schema: JsonObject, key: string): boolean {
  return Object.hasOwn(schema, key) && memberOf(schema, key) !== false;
}

/** Every schema that applies, or may apply, to the value itself: through references, unions and conditions. */
function applied(root: JsonValue): readonly JsonObject[] {
  const found = new Set<JsonObject>();
  const waiting: JsonValue[] = [root];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    for (const schema of gather(root, next).conjuncts) {
      if (found.has(schema)) continue;
      found.add(schema);
      waiting.push(...alternatives(schema));
    }
  }
  return [...found];
}

function alternatives(schema: JsonObject): readonly JsonValue[] {
  const branches = ["if", "then", "else"].filter((key) => Object.hasOwn(schema, key));
  return [
    ...listAt(schema, "anyOf"),
    ...listAt(schema, "oneOf"),
    ...branches.map((key) => memberOf(schema, key)),
    ...entriesAt(schema, "dependentSchemas").map(([, dependent]) => dependent),
  ];
}
