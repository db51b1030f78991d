export { readHashMap, readHashMapEntry, setHashMapEntries, updateHashMapEntry } from "./file.js";
export type { HashMap, HashMapSpec } from "./types.js";
