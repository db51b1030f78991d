import { CasError, type Violation } from "../fault/index.js";
import { FOREIGN_ROOTS } from "../meta-schema/index.js";
import type { CasNode, Hash } from "../node/index.js";
import { type Validator, violationsOf } from "../validate/index.js";
import { getSchema, type Reader } from "./schema-of.js";
import { validatorOf } from "./validators.js";

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
