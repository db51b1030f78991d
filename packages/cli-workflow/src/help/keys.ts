import { isObject, type JsonObject, type JsonValue } from "@uncaged/json-cas";
import { type Block, list } from "./types.js";

/** Every key of a document with its description, from the JSON Schema that is made of the gate's own table. */
export function keysOf(schema: JsonObject): Block {
  const items = new Map<string, string>();
  collect(schema, "", items);
  return list(...items);
}

function collect(schema: JsonValue | undefined, path: string, items: Map<string, string>): void {
  if (!isObject(schema)) return;
  const { description, properties, patternProperties, additionalProperties } = schema;
  if (path !== "" && typeof description === "string" && !items.has(`\`${path}\``))
    items.set(`\`${path}\``, description);
  for (const [key, below] of Object.entries(isObject(properties) ? properties : {}))
    collect(below, path === "" ? key : `${path}.${key}`, items);
  const named = isObject(patternProperties) ? Object.values(patternProperties) : [];
  for (const below of [...named, additionalProperties]) {
    const title = isObject(below) && typeof below.title === "string" ? below.title : "name";
    collect(below, `${path}.<${title}>`, items);
  }
  collect(schema.items, `${path}[]`, items);
  const branches = schema.anyOf ?? schema.oneOf;
  for (const branch of Array.isArray(branches) ? branches : []) collect(branch, path, items);
}
