import type { SchemaProblem } from "../fault/index.js";
import { suggest } from "../names/index.js";
import type { JsonValue } from "../node/index.js";
import {
  entriesOf,
  isObject,
  keyword,
  listOf,
  type Positions,
  resolveRef,
  type SchemaObject,
  type Subschema,
} from "../schema/index.js";

/** More than anybody reads of one schema. */
export const MOST_PROBLEMS = 100;

/** So many names are compared with one that leads nowhere. */
const MOST_NAMES = 1_000;

/** References that lead nowhere, anchors with one name, and schemas that refer to themselves without going deeper. */
export function referenceProblems(positions: Positions): readonly SchemaProblem[] {
  const known = [...positions.byPointer.keys(), ...positions.byAnchor.keys()].slice(0, MOST_NAMES);
  const names = known.map((name) => `#${name}`);
  const problems: SchemaProblem[] = [];
  for (const place of positions.all) {
    problems.push(...danglingRef(place, positions, names), ...repeatedAnchor(place, positions));
    if (problems.length >= MOST_PROBLEMS) break;
  }
  return problems.length > 0 ? problems : circles(positions);
}

/** A schema's references follow each other a few times; who checks a value by it goes down as far. */
const DEEPEST = 1_000;

function danglingRef(
  { path, schema }: Subschema,
  positions: Positions,
  known: readonly string[],
): readonly SchemaProblem[] {
  const ref = isObject(schema) ? keyword(schema, "$ref") : undefined;
  if (typeof ref !== "string" || resolveRef(positions, ref) !== undefined) return [];
  const message = ref.startsWith("#")
    ? `"${ref}" refers to no schema in this document`
    : `"${ref}" is a remote reference; only local ones (#/$defs/name) are supported`;
  return [{ path: `${path}/$ref`, message, suggestion: suggest(ref, known) }];
}

function repeatedAnchor({ path, schema }: Subschema, positions: Positions): readonly SchemaProblem[] {
  const name = isObject(schema) ? keyword(schema, "$anchor") : undefined;
  if (typeof name !== "string" || positions.byAnchor.get(name) === schema) return [];
  return [{ path: `${path}/$anchor`, message: `the anchor "${name}" exists already`, suggestion: null }];
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
    return [{ path: found === "too far" ? "" : path, message, suggestion: null }];
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
    ...["allOf", "anyOf", "oneOf"].flatMap((name) => listOf(keyword(schema, name))),
    ...["not", "if", "then", "else"].map((name) => keyword(schema, name) ?? true),
    ...entriesOf(keyword(schema, "dependentSchemas")).map(([, inner]) => inner),
  ];
}
