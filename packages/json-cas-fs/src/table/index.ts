export { type HashSet, hashSetOf } from "./hash-set.js";
export { type HashTable, hashList, hashTableOf } from "./hash-table.js";
export { hashOfNumber, numberOf } from "./number.js";
