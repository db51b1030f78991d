export { branchesOf, type VariantExample } from "./branches.js";
export { closedValues, openValues, type ShownValues } from "./closed.js";
export { examplesOf, unfilledIn } from "./search.js";
