import { HASH_LENGTH, type Hash } from "@uncaged/json-cas";
import { numberInBytes, numberOf } from "./number.js";
import { search } from "./search.js";

const NEWLINE = 10;

/** The hashes in the lines of an index. */
export type HashSet = {
  readonly has: (hash: Hash) => boolean;
  /** Lines that are not empty, whatever stands in them. */
  readonly lines: number;
};

/** Reads an index; lines that are no hashes are counted and dropped. */
export function hashSetOf(bytes: Uint8Array): HashSet {
  const numbers = new BigUint64Array(Math.ceil(bytes.length / HASH_LENGTH));
  let [size, lines, start] = [0, 0, 0];
  while (start < bytes.length) {
    const newline = bytes.indexOf(NEWLINE, start);
    const end = newline === -1 ? bytes.length : newline;
    if (end > start) lines += 1;
    const number = end - start === HASH_LENGTH ? numberInBytes(bytes, start) : null;
    if (number !== null) {
      numbers[size] = number;
      size += 1;
    }
    start = end + 1;
  }
  const sorted = numbers.slice(0, size).sort();
  return { lines, has: (hash) => search(sorted, numberOf(hash)) !== -1 };
}
