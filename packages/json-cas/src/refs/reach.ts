import type { JsonValue } from "../node/index.js";
import {
  isObject,
  keyword,
  type Positions,
  resolveRef,
  type SchemaObject,
  subschemas,
} from "../schema/index.js";

/**
 * The schemas of a document from which a `cas_ref` can be reached: only these need to be followed. Most documents
 * declare a few references, or none, among many properties.
 */
export function referringSchemas(positions: Positions): ReadonlySet<JsonValue> {
  const objects = positions.all.map(({ schema }) => schema).filter(isObject);
  const found = new Set<JsonValue>(objects.filter((schema) => keyword(schema, "format") === "cas_ref"));
  // Inner schemas stand behind outer ones, so one round from the end does for all but references backwards.
  const fromTheEnd = objects.reverse();
  for (let before = -1; before !== found.size && found.size > 0; ) {
    before = found.size;
    for (const schema of fromTheEnd) if (leadsTo(schema, positions, found)) found.add(schema);
  }
  return found;
}

function leadsTo(schema: SchemaObject, positions: Positions, found: ReadonlySet<JsonValue>): boolean {
  const ref = keyword(schema, "$ref");
  const target = typeof ref === "string" ? resolveRef(positions, ref) : undefined;
  return (
    (target !== undefined && found.has(target)) || subschemas(schema).some((inner) => found.has(inner.schema))
  );
}
