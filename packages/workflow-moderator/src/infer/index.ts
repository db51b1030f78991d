export { type Contexts, contextsOf, type Last, lastAt } from "./context.js";
export type { Found } from "./fixes.js";
export { type Inferred, infer, isDeep } from "./infer.js";
export {
  type Places,
  placesOf,
  type Token,
  tokensOf,
  type UnboundVariable,
  unboundVariables,
} from "./places.js";
export { JSONATA_FUNCTIONS } from "./signatures.js";
export { lazily } from "./value.js";
