import type { JsonObject, JsonValue } from "@uncaged/json-cas";

/** A schema of the corpus as it is, or what its recipe makes. */
export function blowUp(entry: JsonObject): JsonObject {
  const levels = Number(entry.levels);
  if (typeof entry.doubling === "string") return doubling(entry.doubling, levels);
  if (typeof entry.nesting === "string")
    return { type: "object", properties: { a: nesting(entry.nesting, levels) } };
  if (typeof entry.variants === "number") return variants(entry.variants);
  return typeof entry.fields === "number" ? fields(entry.fields) : entry;
}

/** Each definition names the next one twice: as many paths as 2 to the power of `levels`, in a kilobyte. */
function doubling(keyword: string, levels: number): JsonObject {
  const definitions = Array.from({ length: levels }, (_, level): [string, JsonObject] => {
    const next = { $ref: `#/$defs/d${level + 1}` };
    return [`d${level}`, twice(keyword, next)];
  });
  const last: JsonObject = { type: "object", properties: { text: { type: "string" } } };
  const $defs = Object.fromEntries([...definitions, [`d${levels}`, last]]);
  return { type: "object", $defs, properties: { a: { $ref: "#/$defs/d0" } }, required: ["a"] };
}

function twice(keyword: string, next: JsonObject): JsonObject {
  if (keyword === "properties")
    return { type: "object", properties: { a: next, b: next }, required: ["a", "b"] };
  if (keyword === "not") return { not: { not: next }, allOf: [next] };
  // biome-ignore lint/suspicious/noThenProperty: it is the keyword of JSON Schema
  if (keyword === "if") return { if: next, then: next, else: next };
  return { [keyword]: [next, next] };
}

function nesting(keyword: string, levels: number): JsonObject {
  let schema: JsonObject = { type: "string" };
  for (let level = 0; level < levels; level += 1) {
    if (keyword === "properties") schema = { type: "object", properties: { a: schema }, required: ["a"] };
    else if (keyword === "items") schema = { type: "array", items: schema, minItems: 1 };
    else schema = { [keyword]: [schema] };
  }
  return schema;
}

/** A union of many variants, told apart by nothing but their last field. */
function variants(count: number): JsonObject {
  const oneOf = Array.from({ length: count }, (_, index): JsonValue => {
    const properties = { kind: { type: "string" }, value: { const: index } };
    return { type: "object", properties, required: ["kind", "value"], additionalProperties: false };
  });
  return { type: "object", oneOf };
}

function fields(count: number): JsonObject {
  const names = Array.from({ length: count }, (_, index) => `field${index}`);
  return {
    type: "object",
    properties: Object.fromEntries(names.map((name) => [name, { type: "string", minLength: 1 }])),
    required: names,
    additionalProperties: false,
  };
}
