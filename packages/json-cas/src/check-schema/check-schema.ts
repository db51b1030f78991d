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
import { referenceProblems } from "./references.js";

const KEYWORDS = entriesOf(META_SCHEMA["properties"]).map(([name]) => name);

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

/** Everything that keeps a schema from being one of ours; none means that `putSchema` takes it. Never throws. */
export function checkSchema(schema: unknown): readonly SchemaProblem[] {
  const stored = storable(schema);
  if ("problem" in stored) return [stored.problem];
  const positions = positionsOf(stored.value);
  const unknown = positions.all.flatMap(unknownKeywords);
  const malformed = violationsOf(metaValidator(), stored.value).filter(
    (one) => !isUnknownKeyword(one, positions),
  );
  if (malformed.length > 0) return [...unknown, ...malformed.map(fromViolation)];
  // Only what is well formed can be asked what it means.
  return [...unknown, ...positions.all.flatMap(meaningProblems), ...referenceProblems(positions)];
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

/** The meta-schema says it too, with fewer words. */
function isUnknownKeyword(violation: Violation, positions: Positions): boolean {
  if (violation.keyword !== "additionalProperties") return false;
  const owner = violation.path.slice(0, violation.path.lastIndexOf("/"));
  return isObject(positions.byPointer.get(owner));
}

function fromViolation({ path, expected, got }: Violation): SchemaProblem {
  return { path, message: `expected ${expected}, got ${got}`, suggestion: null };
}

function meaningProblems({ path, schema }: Subschema): readonly SchemaProblem[] {
  if (!isObject(schema)) return [];
  return [
    ...formatProblems(path, keyword(schema, "format")),
    ...patternProblems(path, schema),
    ...idProblems(path, keyword(schema, "$id")),
  ];
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
