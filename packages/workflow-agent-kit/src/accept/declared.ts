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
  if (Object.keys(data).every(known)) return data;
  return Object.fromEntries(Object.entries(data).filter(([key]) => known(key)));
}

/** The names that the schema spells out, for suggestions. */
export function declaredNames(schema: JsonValue): ReadonlySet<string> {
  return declaredKeys(schema).names;
}

function declaredKeys(root: JsonValue): Declared {
  let everything = false;
  const names = new Set<string>();
  const patterns: string[] = [];
  for (const schema of applied(root)) {
    everything ||= OPENERS.some((key) => allows(schema, key));
    addNames(schema, names);
    for (const [name] of entriesAt(schema, "patternProperties")) patterns.push(name);
  }
  return { everything, names, patterns };
}

/** A field that is required is declared, even where nothing is said of its value: without it no reply were valid. */
function addNames(schema: JsonObject, names: Set<string>): void {
  for (const [name] of entriesAt(schema, "properties")) names.add(name);
  for (const name of textsAt(schema, "required")) names.add(name);
  for (const [name, needed] of entriesAt(schema, "dependentRequired")) {
    names.add(name);
    if (isList(needed)) for (const member of needed) if (typeof member === "string") names.add(member);
  }
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
