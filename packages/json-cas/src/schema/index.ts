export type { SchemaObject, Subschema } from "./keywords.js";
export { entriesOf, isObject, keyword, listOf, subschemas, textsOf } from "./keywords.js";
export type { Positions } from "./positions.js";
export { positionsOf, resolveRef } from "./positions.js";
