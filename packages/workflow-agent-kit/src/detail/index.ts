export { putDetail, putText } from "./put.js";
export type { RunFacts } from "./types.js";
