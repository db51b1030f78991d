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

/** References that lead nowhere, anchors with one name, and schemas that refer to themselves without going deeper. */
export function referenceProblems(positions: Positions): readonly SchemaProblem[] {
  const problems = positions.all.flatMap((place) => [
    ...danglingRef(place, positions),
    ...repeatedAnchor(place, positions),
  ]);
  return problems.length > 0 ? problems : endless(positions);
}

/** The search goes as deep as references follow each other; beyond some thousands the stack ends first. */
function endless(positions: Positions): readonly SchemaProblem[] {
  try {
    return circles(positions);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return [{ path: "", message: "its references follow each other too far", suggestion: null }];
  }
}

function danglingRef({ path, schema }: Subschema, positions: Positions): readonly SchemaProblem[] {
  const ref = isObject(schema) ? keyword(schema, "$ref") : undefined;
  if (typeof ref !== "string" || resolveRef(positions, ref) !== undefined) return [];
  const known = [...positions.byPointer.keys(), ...positions.byAnchor.keys()].map((name) => `#${name}`);
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
  const finished = new Set<JsonValue>();
  for (const { path, schema } of positions.all) {
    if (comesBack(schema, positions, finished, new Set())) {
      return [{ path, message: "it refers to itself without going deeper into the value", suggestion: null }];
    }
  }
  return [];
}

function comesBack(
  schema: JsonValue,
  positions: Positions,
  finished: Set<JsonValue>,
  open: Set<JsonValue>,
): boolean {
  if (!isObject(schema) || finished.has(schema)) return false;
  if (open.has(schema)) return true;
  open.add(schema);
  const found = inPlace(schema, positions).some((next) => comesBack(next, positions, finished, open));
  open.delete(schema);
  finished.add(schema);
  return found;
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
