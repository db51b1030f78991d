import type { JsonObject } from "./json.js";

// Fixed for ever, to the last word: json-cas keeps schemas under the hash of this one. What later versions may want to
// widen (the list of formats, the pattern dialect) is therefore checked in code and not written down here.

const SCHEMA = { $ref: "#" } as const;
const SCHEMA_LIST = { type: "array", minItems: 1, items: SCHEMA } as const;
const SCHEMA_MAP = { type: "object", additionalProperties: SCHEMA } as const;
const TEXT = { type: "string" } as const;
const FLAG = { type: "boolean" } as const;
const NUMBER = { type: "number" } as const;
const COUNT = { type: "integer", minimum: 0 } as const;
const NAMES = { type: "array", items: TEXT, uniqueItems: true } as const;
const TYPE_NAME = { enum: ["array", "boolean", "integer", "null", "number", "object", "string"] } as const;

/** The schema of every schema: JSON Schema 2020-12 with local references only, closed; valid under itself. */
export const META_SCHEMA: JsonObject = {
  $schema: "https://json-schema.org/draft/2020-12/schema",
  title: "JSON Schema",
  description: "JSON Schema 2020-12 as json-cas stores it: local references only, no unknown keywords.",
  type: ["object", "boolean"],
  properties: {
    $schema: { const: "https://json-schema.org/draft/2020-12/schema" },
    $id: TEXT,
    $anchor: { type: "string", pattern: "^[A-Za-z_][-A-Za-z0-9._]*$" },
    $ref: { type: "string", pattern: "^#" },
    $defs: SCHEMA_MAP,
    $comment: TEXT,

    allOf: SCHEMA_LIST,
    anyOf: SCHEMA_LIST,
    oneOf: SCHEMA_LIST,
    not: SCHEMA,
    if: SCHEMA,
    // biome-ignore lint/suspicious/noThenProperty: the keyword is called so
    then: SCHEMA,
    else: SCHEMA,
    dependentSchemas: SCHEMA_MAP,
    prefixItems: SCHEMA_LIST,
    items: SCHEMA,
    contains: SCHEMA,
    properties: SCHEMA_MAP,
    patternProperties: SCHEMA_MAP,
    additionalProperties: SCHEMA,
    propertyNames: SCHEMA,
    unevaluatedItems: SCHEMA,
    unevaluatedProperties: SCHEMA,

    type: { anyOf: [TYPE_NAME, { type: "array", items: TYPE_NAME, minItems: 1, uniqueItems: true }] },
    const: true,
    enum: { type: "array" },
    multipleOf: { type: "number", exclusiveMinimum: 0 },
    maximum: NUMBER,
    exclusiveMaximum: NUMBER,
    minimum: NUMBER,
    exclusiveMinimum: NUMBER,
    maxLength: COUNT,
    minLength: COUNT,
    pattern: TEXT,
    maxItems: COUNT,
    minItems: COUNT,
    uniqueItems: FLAG,
    maxContains: COUNT,
    minContains: COUNT,
    maxProperties: COUNT,
    minProperties: COUNT,
    required: NAMES,
    dependentRequired: { type: "object", additionalProperties: NAMES },
    format: TEXT,

    title: TEXT,
    description: TEXT,
    default: true,
    deprecated: FLAG,
    readOnly: FLAG,
    writeOnly: FLAG,
    examples: { type: "array" },
    contentEncoding: TEXT,
    contentMediaType: TEXT,
    contentSchema: SCHEMA,
  },
  additionalProperties: false,
};
