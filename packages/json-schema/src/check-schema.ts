import { copyJson, escapeSegment, isObject, type JsonValue } from "./json.js";
import { META_SCHEMA } from "./meta-schema.js";
import { compilePattern } from "./pattern.js";
import { PatternError } from "./pattern-syntax.js";
import { type SchemaProblem, suggest, type Violation } from "./problems.js";
import {
  entriesAt,
  entriesOf,
  keyword,
  listAt,
  type Positions,
  positionsOf,
  resolveRef,
  type SchemaObject,
  type Subschema,
} from "./schema.js";
import {
  createValidator,
  FORMAT_NAMES,
  type Formats,
  type Validator,
  violationsOf,
} from "./validate/index.js";

/** No person reads more about one schema. */
const MOST_PROBLEMS = 100;

/** So many names are compared with one that leads nowhere. */
const MOST_NAMES = 1_000;

/** References that lead nowhere, anchors with one name, and schemas that refer to themselves without going deeper. */
function referenceProblems(positions: Positions): readonly SchemaProblem[] {
  const known = [...positions.byPointer.keys(), ...positions.byAnchor.keys()].slice(0, MOST_NAMES);
  const names = known.map((name) => `#${name}`);
  const problems = firstOf(positions.all, (place) => danglingNames(place, positions, names));
  return problems.length > 0 ? problems : circles(positions);
}

/** A schema's references follow each other a few times; who checks a value by it goes down as far. */
const DEEPEST = 1_000;

function danglingNames(
  { path, schema }: Subschema,
  positions: Positions,
  known: readonly string[],
): readonly SchemaProblem[] {
  if (!isObject(schema)) return [];
  const problems: SchemaProblem[] = [];
  const ref = keyword(schema, "$ref");
  if (typeof ref === "string" && resolveRef(positions, ref) === undefined) {
    const message = ref.startsWith("#")
      ? `"${ref}" refers to no schema in this document`
      : `"${ref}" is a remote reference; only local ones (#/$defs/name) are supported`;
    problems.push({ path: `${path}/$ref`, message, suggestion: suggest(ref, known) });
  }
  const name = keyword(schema, "$anchor");
  if (typeof name === "string" && positions.byAnchor.get(name) !== schema)
    problems.push(plainProblem(`${path}/$anchor`, `the anchor "${name}" exists already`));
  return problems;
}

/** A value could never be checked against a schema whose reference comes back to it on the same value. */
function circles(positions: Positions): readonly SchemaProblem[] {
  const search = { positions, finished: new Set<JsonValue>(), open: new Set<JsonValue>() };
  for (const { path, schema } of positions.all) {
    const found = wayOf(schema, search);
    if (found === "ends") continue;
    const message =
      found === "too far"
        ? "its references follow each other too far"
        : "it refers to itself without going deeper into the value";
    return [plainProblem(found === "too far" ? "" : path, message)];
  }
  return [];
}

type Search = {
  readonly positions: Positions;
  readonly finished: Set<JsonValue>;
  /** The way down to here. */
  readonly open: Set<JsonValue>;
};

type Way = "ends" | "comes back" | "too far";

function wayOf(schema: JsonValue, search: Search): Way {
  const { positions, finished, open } = search;
  if (!isObject(schema) || finished.has(schema)) return "ends";
  if (open.has(schema)) return "comes back";
  if (open.size >= DEEPEST) return "too far";
  open.add(schema);
  for (const next of inPlace(schema, positions)) {
    const found = wayOf(next, search);
    if (found !== "ends") return found;
  }
  open.delete(schema);
  finished.add(schema);
  return "ends";
}

/** The schemas that apply to the same value, on whatever condition. */
function inPlace(schema: SchemaObject, positions: Positions): readonly JsonValue[] {
  const ref = keyword(schema, "$ref");
  return [
    ...(typeof ref === "string" ? [resolveRef(positions, ref) ?? true] : []),
    ...["allOf", "anyOf", "oneOf"].flatMap((name) => listAt(schema, name)),
    ...["not", "if", "then", "else"].map((name) => keyword(schema, name) ?? true),
    ...entriesAt(schema, "dependentSchemas").map(([, inner]) => inner),
  ];
}

/**
 * States of all patterns of a schema together, of which one may have 10,000: whoever checks values keeps them, and a
 * state takes some 100 bytes. A usual pattern has ten.
 */
const MOST_STATES = 200_000;

/** Patterns that are no regular expressions, or none that can be matched without risk, alone or together. */
function patternProblems(places: readonly Subschema[]): readonly SchemaProblem[] {
  const problems: SchemaProblem[] = [];
  const seen = new Set<string>();
  let states = 0;
  for (const { path, pattern } of patternsIn(places)) {
    const found = seen.has(pattern) ? 0 : compiled(path, pattern);
    seen.add(pattern);
    if (typeof found === "number") states += found;
    else problems.push(found);
    if (states > MOST_STATES) {
      const message = `the patterns up to here take more than ${MOST_STATES} states together`;
      return [...problems, plainProblem(path, message)];
    }
    if (problems.length >= MOST_PROBLEMS) break;
  }
  return problems;
}

type PatternUse = { readonly path: string; readonly pattern: string };

function* patternsIn(places: readonly Subschema[]): Generator<PatternUse> {
  for (const { path, schema } of places) {
    if (!isObject(schema)) continue;
    const pattern = keyword(schema, "pattern");
    if (typeof pattern === "string") yield { path: `${path}/pattern`, pattern };
    for (const [key] of entriesAt(schema, "patternProperties"))
      yield { path: `${path}/patternProperties/${escapeSegment(key)}`, pattern: key };
  }
}

/** How many states it has, or what is wrong with it. */
function compiled(path: string, pattern: string): number | SchemaProblem {
  try {
    return compilePattern(pattern).states;
  } catch (error) {
    if (!(error instanceof PatternError)) throw error;
    return plainProblem(path, `pattern ${JSON.stringify(pattern)} ${error.message}`);
  }
}

const KEYWORDS = entriesOf(META_SCHEMA.properties).map(([name]) => name);

const TYPE_NAMES = ["array", "boolean", "integer", "null", "number", "object", "string"];
const TYPE_PATH = /\/type(?:\/\d+)?$/;

/** Keywords of older drafts and of the parts that are not supported, with what to write instead. */
const ELSEWHERE: ReadonlyMap<string, string> = new Map([
  ["definitions", "$defs"],
  ["additionalItems", "items"],
  ["dependencies", "dependentRequired"],
  ["id", "$id"],
  ["$dynamicRef", "$ref"],
  ["$recursiveRef", "$ref"],
  ["$dynamicAnchor", "$anchor"],
  ["nullable", "type"],
  ["example", "examples"],
  ["fields", "properties"],
  ["props", "properties"],
  ["values", "enum"],
  ["options", "enum"],
  ["choices", "enum"],
  ["oneof", "oneOf"],
  ["min", "minimum"],
  ["max", "maximum"],
  ["regex", "pattern"],
  ["optional", "required"],
]);

/** What other languages call the types. */
const TYPES_ELSEWHERE: ReadonlyMap<string, string> = new Map([
  ["bool", "boolean"],
  ["int", "integer"],
  ["float", "number"],
  ["double", "number"],
  ["decimal", "number"],
  ["str", "string"],
  ["text", "string"],
  ["list", "array"],
  ["dict", "object"],
  ["map", "object"],
  ["none", "null"],
]);

let prepared: Validator | null = null;

/**
 * What keeps a schema from being one of ours, a hundred reasons of each kind at most; none means that values can be
 * checked against it. `formats` may be named in it besides those of JSON Schema. Never throws.
 */
export function checkSchema(schema: unknown, formats: Formats = new Map()): readonly SchemaProblem[] {
  const copied = copyJson(schema);
  if (!copied.ok) return [plainProblem(copied.error.path, copied.error.reason)];
  prepared ??= createValidator(META_SCHEMA);
  const positions = positionsOf(copied.value);
  const names = [...formats.keys(), ...FORMAT_NAMES];
  const unknown = firstOf(positions.all, unknownKeywords);
  const malformed = violationsOf(prepared, copied.value).filter((one) => !isToldBetter(one, positions));
  return [
    ...unknown,
    ...withoutListedTypes(malformed).map(fromViolation),
    ...firstOf(positions.all, (place) => meaningProblems(place, names)),
    ...patternProblems(positions.all),
    ...referenceProblems(positions),
  ];
}

function firstOf(
  places: readonly Subschema[],
  problemsOf: (place: Subschema) => readonly SchemaProblem[],
): readonly SchemaProblem[] {
  const problems: SchemaProblem[] = [];
  for (const place of places) {
    problems.push(...problemsOf(place));
    if (problems.length >= MOST_PROBLEMS) return problems.slice(0, MOST_PROBLEMS);
  }
  return problems;
}

function unknownKeywords({ path, schema }: Subschema): readonly SchemaProblem[] {
  const isBare = isObject(schema) && schema.properties === null;
  return entriesOf(schema)
    .filter(([name]) => !KEYWORDS.includes(name))
    .flatMap(([name, value]) => {
      const suggestion = ELSEWHERE.get(name) ?? suggest(name, KEYWORDS);
      const isField = suggestion === null && (isObject(value) || isTypeName(value));
      // Indented too little: the empty `properties` is what is told.
      if (isField && isBare) return [];
      const help = isField ? "; fields belong below properties" : "";
      return [
        { path: `${path}/${escapeSegment(name)}`, message: `unknown keyword "${name}"${help}`, suggestion },
      ];
    });
}

function isTypeName(value: JsonValue | undefined): boolean {
  return (
    typeof value === "string" && (TYPE_NAMES.includes(value) || TYPES_ELSEWHERE.has(value.toLowerCase()))
  );
}

/** Unknown keywords and remote references: the meta-schema finds them too, with fewer words. */
function isToldBetter({ path, keyword: name }: Violation, positions: Positions): boolean {
  const owner = path.slice(0, path.lastIndexOf("/"));
  const isKeyword = isObject(positions.byPointer.get(owner));
  return isKeyword && (name === "additionalProperties" || (name === "pattern" && path.endsWith("/$ref")));
}

/** `type: [open, closed]` is one mistake, not one for each item: an enum is meant. */
function withoutListedTypes(violations: readonly Violation[]): readonly Violation[] {
  const lists = new Set<string>();
  return violations.filter((violation) => {
    const list = listOfValues(violation);
    if (list === null) return true;
    const isFirst = !lists.has(list);
    lists.add(list);
    return isFirst;
  });
}

/** The path of a list of types in which something is near to none of them; `null`: it is none. */
function listOfValues(violation: Violation): string | null {
  const [, list] = /^(.*\/type)\/\d+$/.exec(violation.path) ?? [];
  return list === undefined || typeFor(violation) !== null ? null : list;
}

function typeFor({ path, got }: Violation): string | null {
  if (!got.startsWith('"') || !TYPE_PATH.test(path)) return null;
  const name = got.slice(1, -1);
  return TYPES_ELSEWHERE.get(name.toLowerCase()) ?? suggest(name, TYPE_NAMES);
}

function fromViolation(violation: Violation): SchemaProblem {
  const { path, expected, got } = violation;
  if (path.endsWith("/required") && (got === "true" || got === "false")) return misplacedRequired(path, got);
  const help = listOfValues(violation) === null ? placeHelp(violation) : "; a list of values is an enum";
  const suggestion = typeFor(violation) ?? writtenOut(violation);
  return { path, message: `expected ${expected}, got ${got}${help}`, suggestion };
}

/** What belongs where something else stands. */
function placeHelp({ path, expected, got }: Violation): string {
  const isField = /\/properties\/[^/]+$/.test(path);
  if (isField && expected === "object or boolean" && got.startsWith("an array of"))
    return "; a field whose values are listed is { enum: […] }, one that is a list { type: array, items: … }";
  return path.endsWith("/properties") && got === "null" ? "; the fields are indented below it" : "";
}

/** A type's name where a schema belongs, one value where a list belongs. */
function writtenOut({ path, expected, got }: Violation): string | null {
  if (!got.startsWith('"')) return null;
  const name = got.slice(1, -1);
  if (path.endsWith("/enum") || path.endsWith("/required")) return `[${name}]`;
  const type = TYPES_ELSEWHERE.get(name.toLowerCase()) ?? suggest(name, TYPE_NAMES);
  return expected === "object or boolean" && type !== null ? `{ type: ${type} }` : null;
}

/** In older drafts, and in other languages, a field says itself that it is required. */
function misplacedRequired(path: string, got: string): SchemaProblem {
  const field = unescapeSegment(path.split("/").at(-2) ?? "");
  const message = `required is a list of names beside properties, got ${got}`;
  return { path, message, suggestion: got === "true" ? `required: [${field}]` : null };
}

function unescapeSegment(segment: string): string {
  return segment.replaceAll("~1", "/").replaceAll("~0", "~");
}

/** Unknown formats; an inner `$id`, which would change what the local references around it mean. */
function meaningProblems({ path, schema }: Subschema, formats: readonly string[]): readonly SchemaProblem[] {
  if (!isObject(schema)) return [];
  const problems: SchemaProblem[] = [];
  const format = keyword(schema, "format");
  if (typeof format === "string" && !formats.includes(format)) {
    const message = `unknown format "${format}"`;
    problems.push({ path: `${path}/format`, message, suggestion: suggest(format, formats) });
  }
  if (path !== "" && Object.hasOwn(schema, "$id"))
    problems.push({
      ...plainProblem(`${path}/$id`, "$id is only supported at the root"),
      suggestion: "$anchor",
    });
  return problems;
}

function plainProblem(path: string, message: string): SchemaProblem {
  return { path, message, suggestion: null };
}
