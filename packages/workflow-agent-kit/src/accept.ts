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
import {
  appliedTo,
  entriesAt,
  gather,
  isObject,
  joined,
  listAt,
  listedValues,
  textsAt,
} from "@uncaged/json-schema";
import { err, ok, type Result } from "@uncaged/workflow-protocol";
import { isList, matchesPattern, memberOf } from "./schema.js";

/** The keys that a schema declares for an object. */
type Declared = {
  /** `additionalProperties` (or `unevaluatedProperties`) allows every key, or nothing is declared. */
  readonly everything: boolean;
  readonly names: ReadonlySet<string>;
  readonly patterns: readonly string[];
};

/** Keeps what the schema declares, at every level, and all of an object with no declared members. */
export function selectDeclared(schema: JsonValue, data: JsonObject): JsonObject {
  return selectMembers({ root: schema, misspelled: null, strict: false }, schema, data, "");
}

type Selection = {
  readonly root: JsonValue;
  /** Filled on the way: keys that are not declared and nearly are. The field that was meant would be missing. */
  readonly misspelled: string[] | null;
  /** Whether every key that is not declared is a mistake. */
  readonly strict: boolean;
};

function select(selection: Selection, place: JsonValue, data: JsonValue, at: string): JsonValue {
  if (typeof data !== "object" || data === null) return data;
  if (!isList(data)) return selectMembers(selection, place, data, at);
  const schemas = appliedTo(selection.root, place);
  return data.map((item, index) => select(selection, itemOf(schemas, index), item, `${at}/${index}`));
}

function selectMembers(selection: Selection, place: JsonValue, data: JsonObject, at: string): JsonObject {
  const schemas = appliedTo(selection.root, place);
  const declared = declaredKeys(schemas);
  const members = Object.entries(data).flatMap(([key, member]): [string, JsonValue][] => {
    const below = `${at}/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`;
    if (declared.everything || isDeclared(declared, key))
      return [[key, select(selection, memberSchema(schemas, key), member, below)]];
    const meant = selection.misspelled === null ? null : suggest(key, declared.names);
    if (meant !== null && (!Object.hasOwn(data, meant) || differsByStyle(key, meant)))
      selection.misspelled?.push(`${below}: not a declared field, did you mean "${meant}"?`);
    else if (selection.strict) selection.misspelled?.push(`${below}: not a declared field`);
    return [];
  });
  return Object.fromEntries(members);
}

/** Whether the schema names this member of the items in the list at `path`. */
export function declaresInItems(root: JsonValue, path: readonly string[], name: string): boolean {
  const list = path.reduce((place, key) => memberSchema(appliedTo(root, place), key), root);
  return appliedTo(root, itemOf(appliedTo(root, list), null)).some((schema) =>
    entriesAt(schema, "properties").some(([key]) => key === name),
  );
}

function isDeclared({ names, patterns }: Declared, key: string): boolean {
  return names.has(key) || patterns.some((pattern) => matchesPattern(pattern, key));
}

/** The names of an output's fields. */
export type FieldNames = {
  readonly all: readonly string[];
  /** Whether the key is one of them, or nearly one. */
  readonly isField: (key: string) => boolean;
  /** Whether the schema lists the value among the few that the field can have. */
  readonly isChoice: (key: string, value: JsonValue) => boolean;
};

/** `null` where the schema names no field. */
export function fieldNames(schema: JsonValue): FieldNames | null {
  const declared = declaredKeys(appliedTo(schema, schema));
  const { names, patterns } = declared;
  if (names.size === 0 && patterns.length === 0) return null;
  const known = new Map<string, boolean>();
  const isField = (key: string): boolean => {
    const found = known.get(key) ?? (isDeclared(declared, key) || suggest(key, names) !== null);
    known.set(key, found);
    return found;
  };
  const isChoice = (key: string, value: JsonValue): boolean =>
    listedValues(gather(schema, memberSchema(appliedTo(schema, schema), key)).conjuncts)?.includes(value) ===
    true;
  return { all: [...names, ...patterns.map((pattern) => `/${pattern}/`)], isField, isChoice };
}

function declaredKeys(schemas: readonly JsonObject[]): Declared {
  let everything = false;
  let closed = false;
  const names = new Set<string>();
  const patterns: string[] = [];
  for (const schema of schemas) {
    everything ||= OPENERS.some((key) => allows(schema, key));
    closed ||= OPENERS.some((key) => memberOf(schema, key) === false);
    addNames(schema, names);
    for (const [name] of entriesAt(schema, "patternProperties")) patterns.push(name);
  }
  const isOpen = names.size === 0 && patterns.length === 0 && !closed;
  return { everything: everything || isOpen, names, patterns };
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

/** What else can be done with data before it is accepted. */
type Gates = {
  /** Redacts the value before it is validated: what is stored is what was found valid. */
  readonly clean: (data: JsonObject) => JsonObject;
  /** The violations of a schema that is already prepared. */
  readonly violationsOf: (data: JsonObject) => readonly Violation[];
  /** Whether a field that is not declared, which is left out of an agent's reply, is a mistake: a person has typed it. */
  readonly strict: boolean;
};

/** The declared part of `given` if it is valid; else one line per violation. Nothing is added, nothing converted. */
export function accept(
  schema: JsonValue,
  given: JsonObject,
  gates: Partial<Gates> = {},
): Result<JsonObject, readonly string[]> {
  const {
    clean = (data) => data,
    violationsOf = (data) => validatePayload(schema, data),
    strict = false,
  } = gates;
  const unstorable = unstorableReason(given);
  if (unstorable !== null) return err([unstorable]);
  const data = clean(given);
  const misspelled: string[] = [];
  const selected = selectMembers({ root: schema, misspelled, strict }, schema, data, "");
  const wrong = [...violationsOf(selected).map(violationMessage), ...misspelled];
  return wrong.length === 0 ? ok(selected) : err([...new Set(wrong)]);
}

/** `accepted` if it has a field: with nothing required any map would be valid, a schema that was repeated too. */
export function withField(
  accepted: Result<JsonObject, readonly string[]>,
  fields: FieldNames | null,
): Result<JsonObject, readonly string[]> {
  if (!accepted.ok || fields === null || Object.keys(accepted.value).length > 0) return accepted;
  return err([`none of the declared fields is there: ${fields.all.join(", ")}`]);
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

/** `Score`, `maxScore` for `max_score`: the same word, and never another field. */
function differsByStyle(key: string, name: string): boolean {
  const bare = (text: string): string => text.toLowerCase().replaceAll(/[-_ ]/g, "");
  return bare(key) === bare(name);
}

function memberSchema(schemas: readonly JsonObject[], key: string): JsonValue {
  return joined(
    schemas.flatMap((schema) => {
      const named = entriesAt(schema, "properties").filter(([name]) => name === key);
      const fitting = entriesAt(schema, "patternProperties").filter(([name]) => matchesPattern(name, key));
      const own = [...named, ...fitting].map(([, member]) => member);
      return own.length > 0 ? own : OPENERS.map((other) => memberOf(schema, other)).filter(isObject);
    }),
  );
}

/** `index`: `null` for an item that may stand anywhere. */
function itemOf(schemas: readonly JsonObject[], index: number | null): JsonValue {
  const own = schemas.flatMap((schema) => {
    const first = listAt(schema, "prefixItems");
    const numbered = index === null ? first : first.slice(index, index + 1);
    const isNumbered = index !== null && numbered.length > 0;
    const others = isNumbered
      ? []
      : ["items", "unevaluatedItems"].flatMap((key) => memberOf(schema, key) ?? []);
    return [...numbered, ...others];
  });
  // It names what some items have: alone it says nothing of the others.
  const some = own.length === 0 ? [] : schemas.flatMap((schema) => memberOf(schema, "contains") ?? []);
  return joined([...own, ...some]);
}
