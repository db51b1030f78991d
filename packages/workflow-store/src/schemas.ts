import { FORMAT_NAMES, isObject, type JsonObject, type JsonValue, META_SCHEMA } from "@uncaged/json-cas";
import { CONFIG } from "./config/index.js";
import { META_PLACE, WORKFLOW } from "./documents/index.js";
import { type Fields, schemaOf } from "./fields.js";

const DIALECT = "https://json-schema.org/draft/2020-12/schema";

/**
 * The JSON Schema of a workflow file, for editors. It cannot say what names refer to: `workflow validate` checks that.
 */
export function workflowSchema(): JsonObject {
  return {
    ...document(
      "uwf workflow",
      "A workflow of uwf: roles, conditions, and the graph that leads from role to role.",
      WORKFLOW,
    ),
    $defs: { meta: metaSchema() },
  };
}

/** The JSON Schema of config.yaml. */
export function configSchema(): JsonObject {
  return document(
    "uwf configuration",
    "config.yaml of uwf's storage root: which agent plays which role.",
    CONFIG,
  );
}

function document(title: string, description: string, fields: Fields): JsonObject {
  return { $schema: DIALECT, description, ...schemaOf(title, fields) };
}

/** The schema of schemas, with a sentence for each keyword. */
function metaSchema(): JsonObject {
  const { type, properties, additionalProperties } = META_SCHEMA;
  const keywords = Object.entries(isObject(properties) ? properties : {}).map(([keyword, schema]) => {
    const rule = keyword === "format" ? { enum: [...FORMAT_NAMES] } : moved(schema);
    const description = KEYWORDS[keyword] ?? "";
    return [keyword, { description, ...(isObject(rule) ? rule : {}) }];
  });
  return {
    title: "JSON Schema",
    description: "A JSON Schema (2020-12) with local references only.",
    type: type ?? "object",
    properties: Object.fromEntries(keywords),
    additionalProperties: additionalProperties ?? false,
  };
}

/** The schema of schemas refers to itself as the document's root, and is no longer there. */
function moved(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(moved);
  if (!isObject(value)) return value;
  if (value.$ref === "#") return { $ref: META_PLACE };
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, moved(inner)]));
}

/** What each keyword of JSON Schema means. */
export const KEYWORDS: Readonly<Record<string, string>> = {
  $schema: "The dialect; there is only this one.",
  $id: "A name of the schema, at its root only.",
  $anchor: "A name for this part, for $ref: '#name'.",
  $ref: "Another part of this schema: '#/$defs/name', or '#' for all of it.",
  $defs: "Parts that $ref refers to, by name.",
  $comment: "A note for readers of the schema.",
  allOf: "Every one of these schemas holds.",
  anyOf: "At least one of these schemas holds.",
  oneOf: "Exactly one of these schemas holds: variants, best told apart by a const field.",
  not: "This schema does not hold.",
  if: "Where this schema holds, then applies, and else where it does not.",
  // biome-ignore lint/suspicious/noThenProperty: the keyword is called so
  then: "Applies where if holds.",
  else: "Applies where if does not hold.",
  dependentSchemas: "Schemas that apply where a field is there, by field.",
  prefixItems: "Schemas of the first items, by position.",
  items: "The schema of every item of a list.",
  contains: "Some item of the list satisfies this schema.",
  properties: "The fields of an object, each with its schema. A field is optional unless required lists it.",
  patternProperties: "Schemas of fields whose names match a regular expression.",
  additionalProperties: "The schema of fields that are not listed; false: there are no others.",
  propertyNames: "The schema of the fields' names.",
  unevaluatedItems: "The schema of items that nothing else covers.",
  unevaluatedProperties: "The schema of fields that nothing else covers.",
  type: "array, boolean, integer, null, number, object or string; or a list of them.",
  const: "Exactly this value.",
  enum: "One of these values.",
  multipleOf: "A multiple of this number.",
  maximum: "At most this number.",
  exclusiveMaximum: "Less than this number.",
  minimum: "At least this number.",
  exclusiveMinimum: "More than this number.",
  maxLength: "At most so many characters.",
  minLength: "At least so many characters; 1: not empty.",
  pattern: "A regular expression that matches some part of the text.",
  maxItems: "At most so many items.",
  minItems: "At least so many items; 1: not empty.",
  uniqueItems: "true: no item is there twice.",
  maxContains: "At most so many items satisfy contains.",
  minContains: "At least so many items satisfy contains.",
  maxProperties: "At most so many fields.",
  minProperties: "At least so many fields.",
  required: "The names of the fields that must be there: a list beside properties.",
  dependentRequired: "Fields that must be there where another one is, by that one.",
  format:
    "What kind of text it is. cas_ref: the hash of a node of the store; an agent may give the path of a file.",
  title: "A name for people.",
  description: "What the value means. Agents see it in their prompts.",
  default: "What an absent value means. Nothing is filled in.",
  deprecated: "true: it should no longer be used.",
  readOnly: "A note; not checked.",
  writeOnly: "A note; not checked.",
  examples: "Values that satisfy the schema. Agents see them in their prompts.",
  contentEncoding: "How bytes are written as this text; not checked.",
  contentMediaType: "The media type of this text; not checked.",
  contentSchema: "The schema of what this text contains; not checked.",
};
