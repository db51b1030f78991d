export { type Contexts, contextsOf, type Last } from "./context.js";
export { type Inferred, infer, isDeep } from "./infer.js";
export type { Found } from "./notes.js";
export { type Places, placesOf, type Token, tokensOf } from "./places.js";
export { suggest } from "./suggest.js";
export { JSONATA_FUNCTIONS, unknownVariables } from "./variables.js";
