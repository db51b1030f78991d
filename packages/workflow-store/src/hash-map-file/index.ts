export { readHashMap, readHashMapEntry, updateHashMapEntry } from "./file.js";
export type { HashMap, HashMapSpec } from "./types.js";
