import * as jsonSchema from "@uncaged/json-schema";
import {
  type CustomFormat,
  type Formats,
  type SchemaProblem,
  type Validator,
  type Violation,
  violationsOf,
} from "@uncaged/json-schema";
import { CasError } from "./fault.js";
import { isHash } from "./hash.js";
import { builtInTypes, FOREIGN_ROOTS, META_SCHEMA_HASH, selfHash } from "./identity.js";
import type { CasNode, Hash, JsonValue, Store } from "./node.js";

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

/** What finds nodes: a store, or the part of a backend that reads. */
export type Reader = Pick<Store, "get">;

/**
 * The JSON Schema that a node holds; `null` when there is no such node or it holds none. A node holds a schema when its
 * type is our meta-schema, or another self-typed node (stores of other origin have their own root). */
export function getSchema(store: Reader, hash: Hash): JsonValue | null {
  const node = readType(store, hash);
  return node === null ? null : schemaIn(store, hash, node);
}

/** The node of a type; `null` if there is none. What a built-in type says does not depend on the bytes in the store. */
export function readType(store: Reader, type: Hash): CasNode | null {
  const schema = builtInTypes.get(type);
  if (schema === undefined) return store.get(type);
  // Damage is reported where the node itself is looked at.
  return getOrDamaged(store, type) !== null
    ? { type: META_SCHEMA_HASH, payload: schema, timestamp: 0 }
    : null;
}

/** The node; `damaged` where there is one that cannot be trusted. */
export function getOrDamaged(store: Reader, hash: Hash): CasNode | "damaged" | null {
  try {
    return store.get(hash);
  } catch (error) {
    if (error instanceof CasError && error.fault.code === "NODE_DAMAGED") return "damaged";
    throw error;
  }
}

/** The same of a node that was read already. */
export function schemaIn(store: Reader, hash: Hash, node: CasNode): JsonValue | null {
  if (node.type === META_SCHEMA_HASH || node.type === hash) return node.payload;
  return isRoot(store, node.type) ? node.payload : null;
}

/** Is the node its own type? Its hash is then that of its payload alone. */
function isRoot(store: Reader, hash: Hash): boolean {
  if (hash === META_SCHEMA_HASH || FOREIGN_ROOTS.has(hash)) return true;
  const node = store.get(hash);
  return node !== null && isSelfTyped(hash, node);
}

/** `isRoot` of a node that was read already. */
export function isSelfTyped(hash: Hash, node: CasNode): boolean {
  return node.type === hash && selfHash(node.payload) === hash;
}

/** A process works with a handful of types; a bound keeps a long `verify` of a strange store from growing. */
const MOST = 256;

// Keyed by hash: a schema is immutable, so what was prepared once stays right for every store of the process.
const validators = new Map<Hash, Validator>();

/** The prepared schema of a type; `schemaOf` is asked when it is not known yet. */
export function validatorOf(type: Hash, schemaOf: () => JsonValue): Validator {
  const known = validators.get(type);
  if (known !== undefined) return known;
  if (validators.size >= MOST) validators.clear();
  const validator = createValidator(schemaOf());
  validators.set(type, validator);
  return validator;
}

/** All violations by a payload of a type that this program knows, whether or not a store has it. */
export function validateBuiltIn(type: Hash, payload: JsonValue): readonly Violation[] {
  return violationsOf(
    validatorOf(type, () => builtInTypes.get(type) ?? true),
    payload,
  );
}

/** All violations by a node of its own schema. Throws `UNKNOWN_TYPE` when the store does not have that schema. */
export function validate(store: Reader, node: CasNode): readonly Violation[] {
  return violationsOf(validatorIn(store, node.type), node.payload);
}

/** The prepared schema of a type that the store knows. Throws `UNKNOWN_TYPE`. */
export function validatorIn(store: Reader, type: Hash): Validator {
  return validatorOf(type, () => {
    // Whatever form the original's own meta-schemas have: what is below one is a schema, and refers to nothing.
    if (FOREIGN_ROOTS.has(type)) return true;
    const schema = getSchema(store, type);
    if (schema === null) throw new CasError({ code: "UNKNOWN_TYPE", type });
    return schema;
  });
}
