export type { VariantExample } from "./branches.js";
export { closedValues, openValues, type ShownValues } from "./closed.js";
export { examplesOf } from "./search.js";
export { unfilledIn } from "./unfilled.js";
