export type { VariantExample } from "./branches.js";
export { examplesOf } from "./search.js";
