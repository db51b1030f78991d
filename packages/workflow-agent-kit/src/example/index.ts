export type { VariantExample } from "./types.js";
export { examplesOf } from "./variants.js";
