export { readFlatEntry, readFlatFile, updateFlatEntry } from "./file.js";
export type { FlatMap, FlatSpec } from "./types.js";
