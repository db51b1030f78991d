import type { CustomFormat, Formats, SchemaProblem, Validator, Violation } from "@uncaged/json-schema";
import * as jsonSchema from "@uncaged/json-schema";
import { isHash } from "./hash.js";
import type { JsonValue } from "./node.js";

// JSON Schema with our one format of our own: the references between nodes.

const CAS_REF: CustomFormat = { test: isHash, words: "a hash of a node (13 characters)" };
const FORMATS: Formats = new Map([["cas_ref", CAS_REF]]);

/** What `format` may be. */
export const FORMAT_NAMES: readonly string[] = [...FORMATS.keys(), ...jsonSchema.FORMAT_NAMES];

/** Why `putSchema` would refuse a schema, a hundred reasons of each kind at most. Never throws. */
export function checkSchema(schema: unknown): readonly SchemaProblem[] {
  return jsonSchema.checkSchema(schema, FORMATS);
}

/** All violations of the schema by the payload; none means valid. Never throws, whatever the schema says. */
export function validatePayload(schema: JsonValue, payload: JsonValue): readonly Violation[] {
  return jsonSchema.validate(schema, payload, FORMATS);
}

/** Prepares a schema document for any number of payloads. */
export function createValidator(schema: JsonValue): Validator {
  return jsonSchema.createValidator(schema, FORMATS);
}
