export type { Reader } from "./schema-of.js";
export { getSchema, isSelfTyped, schemaIn } from "./schema-of.js";
export { validate, validatorIn } from "./validate.js";
export { validatorOf } from "./validators.js";
