export { readFlatFile, updateFlatFile } from "./file.js";
export type { FlatEdit, FlatMap, FlatSpec } from "./types.js";
