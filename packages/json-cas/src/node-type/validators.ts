import type { Hash, JsonValue } from "../node/index.js";
import { createValidator, type Validator } from "../validate/index.js";

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
