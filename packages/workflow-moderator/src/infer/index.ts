export {
  type Contexts,
  contextsOf,
  JSONATA_FUNCTIONS,
  type Last,
  type Places,
  placesOf,
  type Token,
  tokensOf,
} from "./context.js";
export type { Found } from "./fixes.js";
export { type Inferred, infer, isDeep } from "./infer.js";
export { lazily } from "./value.js";
export { type UnboundVariable, unboundVariables } from "./variables.js";
