import { encode, encodeCopy, sameBytes } from "./codec/index.js";
import { type Hasher, hashBytes, hashNode } from "./hash.js";
import type { Hash, JsonObject, JsonValue } from "./node.js";

// Fixed for ever at format version 1: another meta-schema would rename every type. What later versions may want to
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

/** The meta-schema's own hash, which is also its type. A constant, so that a program that only reads computes nothing. */
export const META_SCHEMA_HASH = "6SRVT3BFQTWV3" as Hash;

/** Hash of a node of that type; whether the type exists is not asked. Throws `NOT_STORABLE`. */
export function computeHash(type: Hash, payload: JsonValue): Hash {
  return hashEncoded(hashBytes, type, encode(payload));
}

/** Hash of a node that is its own type: over the payload alone. */
export function selfHash(payload: JsonValue): Hash {
  return hashBytes(encode(payload));
}

/** `computeHash` over bytes; the meta-schema under its own type is the one self-typed node that can be put. */
export function hashEncoded(hasher: Hasher, type: Hash, payloadBytes: Uint8Array): Hash {
  if (isMetaSchema(type, payloadBytes)) return META_SCHEMA_HASH;
  return hashNode(hasher, type, payloadBytes);
}

export function isMetaSchema(type: Hash, payloadBytes: Uint8Array): boolean {
  // The hash first: other schemas, which are nearly all, then need not wait for the meta-schema's bytes.
  const mayBe = type === META_SCHEMA_HASH && hashBytes(payloadBytes) === META_SCHEMA_HASH;
  return mayBe && sameBytes(payloadBytes, encodeCopy(META_SCHEMA));
}

/**
 * The types of schemas in stores that an original json-cas has written, and which one. It changed its meta-schema
 * between releases, and the later one does not hash it as any other node; the schemas below are JSON Schemas all the
 * same, and every other node's hash holds.
 */
export const FOREIGN_ROOTS: ReadonlyMap<Hash, string> = new Map([
  ["B3NCX47GJCS7A" as Hash, "json-cas 0.4"],
  ["3RZYZ9X0Y34K7" as Hash, "json-cas 0.5"],
]);
