import {
  CasError,
  checkStorable,
  type JsonObject,
  type JsonValue,
  suggest,
  type Violation,
  validatePayload,
  violationMessage,
} from "@uncaged/json-cas";
import { err, ok, type Result } from "@uncaged/workflow-protocol";
import { entriesAt, gather, isList, listAt, memberOf, textsAt } from "./schema.js";

/** Whether a key fits a `patternProperties` pattern, judged by the validator itself: its engine bounds the pattern. */
function matchesPattern(pattern: string, key: string): boolean {
  return validatePayload({ type: "string", pattern }, key).length === 0;
}

/** The top-level keys that a schema declares. */
type Declared = {
  /** `additionalProperties` (or `unevaluatedProperties`) allows every key explicitly. */
  readonly everything: boolean;
  readonly names: ReadonlySet<string>;
  readonly patterns: readonly string[];
};

/** The part of `data` whose keys the schema declares. */
function selectDeclared(schema: JsonValue, data: JsonObject): JsonObject {
  const { everything, names, patterns } = declaredKeys(schema);
  if (everything) return data;
  const known = (key: string): boolean =>
    names.has(key) || patterns.some((pattern) => matchesPattern(pattern, key));
  if (Object.keys(data).every(known)) return data;
  return Object.fromEntries(Object.entries(data).filter(([key]) => known(key)));
}

/** The names that the schema spells out, for suggestions. */
function declaredNames(schema: JsonValue): ReadonlySet<string> {
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

/** A required field counts as declared even without a schema: otherwise no reply would be valid. */
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

/** What else can be done with data before it is accepted. */
type Gates = {
  /** Redacts the value before it is validated: what is stored is what was found valid. */
  readonly clean: (data: JsonObject) => JsonObject;
  /** The violations of a schema that is already prepared. */
  readonly violationsOf: (data: JsonObject) => readonly Violation[];
};

/** The declared part of `given` if it is valid; else one line per violation. Nothing is added, nothing converted. */
export function accept(
  schema: JsonValue,
  given: JsonObject,
  gates: Partial<Gates> = {},
): Result<JsonObject, readonly string[]> {
  const { clean = (data) => data, violationsOf = (data) => validatePayload(schema, data) } = gates;
  const unstorable = unstorableReason(given);
  if (unstorable !== null) return err([unstorable]);
  const data = clean(given);
  const selected = selectDeclared(schema, data);
  const violations = violationsOf(selected);
  if (violations.length === 0) return ok(selected);
  return err([...violations.map(violationMessage), ...misspelled(schema, data, selected)]);
}

function unstorableReason(data: JsonObject): string | null {
  try {
    checkStorable(data);
    return null;
  } catch (error) {
    if (error instanceof CasError) return error.message;
    throw error;
  }
}

/** A key that was left out and looks like a declared one is likely the missing one. */
function misspelled(schema: JsonValue, data: JsonObject, selected: JsonObject): readonly string[] {
  const names = declaredNames(schema);
  return Object.keys(data)
    .filter((key) => !Object.hasOwn(selected, key))
    .flatMap((key) => {
      const meant = suggest(key, names);
      return meant === null || Object.hasOwn(selected, meant)
        ? []
        : [`/${key}: not a declared field, did you mean "${meant}"?`];
    });
}
