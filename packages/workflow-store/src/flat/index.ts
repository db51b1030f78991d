export { readFlatFile, updateFlatFile } from "./file.js";
export type { FlatEdit, FlatEntry, FlatMap, FlatSpec } from "./types.js";
