export { branchesOf } from "./build.js";
export { closedValues, openValues, type ShownValues } from "./closed.js";
export { examplesOf, unfilledIn, type VariantExample } from "./search.js";
