import { CasError, type SchemaProblem, type Violation } from "../fault/index.js";
import { META_SCHEMA } from "../meta-schema/index.js";
import { suggest } from "../names/index.js";
import type { JsonValue } from "../node/index.js";
import {
  entriesOf,
  isObject,
  keyword,
  type Positions,
  positionsOf,
  type Subschema,
} from "../schema/index.js";
import { escapeSegment, freezeCopy } from "../storable/index.js";
import { createValidator, FORMAT_NAMES, type Validator, violationsOf } from "../validate/index.js";
import { patternProblems } from "./patterns.js";
import { MOST_PROBLEMS, referenceProblems } from "./references.js";

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
]);

/**
 * What keeps a schema from being one of ours, a hundred reasons of each kind at most; none means that `putSchema` takes
 * it. Never throws.
 */
export function checkSchema(schema: unknown): readonly SchemaProblem[] {
  const stored = storable(schema);
  if ("problem" in stored) return [stored.problem];
  const positions = positionsOf(stored.value);
  const unknown = firstOf(positions.all, unknownKeywords);
  const malformed = violationsOf(metaValidator(), stored.value).filter(
    (one) => !isToldBetter(one, positions),
  );
  return [
    ...unknown,
    ...malformed.map(fromViolation),
    ...firstOf(positions.all, meaningProblems),
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

let prepared: Validator | null = null;

function metaValidator(): Validator {
  prepared ??= createValidator(META_SCHEMA);
  return prepared;
}

function storable(schema: unknown): { readonly value: JsonValue } | { readonly problem: SchemaProblem } {
  try {
    return { value: freezeCopy(schema) };
  } catch (error) {
    if (!(error instanceof CasError) || error.fault.code !== "NOT_STORABLE") throw error;
    return { problem: { path: error.fault.path, message: error.fault.reason, suggestion: null } };
  }
}

function unknownKeywords({ path, schema }: Subschema): readonly SchemaProblem[] {
  return entriesOf(schema)
    .filter(([name]) => !KEYWORDS.includes(name))
    .map(([name]) => ({
      path: `${path}/${escapeSegment(name)}`,
      message: `unknown keyword "${name}"`,
      suggestion: ELSEWHERE.get(name) ?? suggest(name, KEYWORDS),
    }));
}

/** Unknown keywords and remote references: the meta-schema finds them too, with fewer words. */
function isToldBetter({ path, keyword: name }: Violation, positions: Positions): boolean {
  const owner = path.slice(0, path.lastIndexOf("/"));
  const isKeyword = isObject(positions.byPointer.get(owner));
  return isKeyword && (name === "additionalProperties" || (name === "pattern" && path.endsWith("/$ref")));
}

function fromViolation({ path, expected, got }: Violation): SchemaProblem {
  const isText = got.startsWith('"');
  const suggestion = isText && TYPE_PATH.test(path) ? suggest(got.slice(1, -1), TYPE_NAMES) : null;
  return { path, message: `expected ${expected}, got ${got}`, suggestion };
}

function meaningProblems({ path, schema }: Subschema): readonly SchemaProblem[] {
  if (!isObject(schema)) return [];
  return [...formatProblems(path, keyword(schema, "format")), ...idProblems(path, keyword(schema, "$id"))];
}

function formatProblems(path: string, format: JsonValue | undefined): readonly SchemaProblem[] {
  if (typeof format !== "string" || FORMAT_NAMES.includes(format)) return [];
  const suggestion = suggest(format, FORMAT_NAMES);
  return [{ path: `${path}/format`, message: `unknown format "${format}"`, suggestion }];
}

/** An inner `$id` would change what the local references around it mean. */
function idProblems(path: string, id: JsonValue | undefined): readonly SchemaProblem[] {
  if (id === undefined || path === "") return [];
  return [{ path: `${path}/$id`, message: "$id is only supported at the root", suggestion: "$anchor" }];
}
