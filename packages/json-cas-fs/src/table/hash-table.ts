import type { Hash } from "@uncaged/json-cas";
import { hashOfNumber, numberOf } from "./number.js";
import { search } from "./search.js";

/** Hashes in order, each with a place from 0: what is known of a node stands in an array under its place. */
export type HashTable = {
  readonly size: number;
  /** -1 when the hash is not in the table. */
  readonly placeOf: (hash: Hash) => number;
  readonly hashAt: (place: number) => Hash;
};

/** Collects hashes, 8 bytes for each. */
export function hashList() {
  let numbers = new BigUint64Array(1024);
  let size = 0;
  const add = (hash: Hash): void => {
    if (size === numbers.length) {
      const larger = new BigUint64Array(size * 2);
      larger.set(numbers);
      numbers = larger;
    }
    numbers[size] = numberOf(hash);
    size += 1;
  };
  return { add, size: () => size, table: () => tableOf(numbers.slice(0, size).sort()) };
}

/** A table of these hashes; one that is given twice has two neighbouring places, of which `placeOf` finds one. */
export function hashTableOf(hashes: Iterable<Hash>): HashTable {
  const list = hashList();
  for (const hash of hashes) list.add(hash);
  return list.table();
}

function tableOf(sorted: BigUint64Array): HashTable {
  return {
    size: sorted.length,
    placeOf: (hash) => search(sorted, numberOf(hash)),
    hashAt: (place) => hashOfNumber(sorted[place] ?? 0n),
  };
}
