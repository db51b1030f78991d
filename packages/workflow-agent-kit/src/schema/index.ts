export { entriesAt, isList, isObject, listAt, memberOf, numberAt, textAt, textsAt } from "./read.js";
export { gather, resolveRef } from "./resolve.js";
export {
  firstOf,
  joined,
  listedValues,
  propertiesOf,
  requiredOf,
  typesOf,
  unionsOf,
} from "./shape.js";
export type { Gathered, TypeName } from "./types.js";
