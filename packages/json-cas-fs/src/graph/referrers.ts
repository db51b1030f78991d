import type { Store } from "@uncaged/json-cas";
import type { HashTable } from "../table/index.js";
import { readForNext } from "./read.js";

type IsIn = (place: number) => boolean;

/** The places that the node at a place leads to, among those that `isIn`. A node that cannot be read leads nowhere. */
export function placesAfter(store: Store, table: HashTable, place: number, isIn: IsIn): readonly number[] {
  const found = readForNext(store, table.hashAt(place));
  if (found === "missing" || "damage" in found) return [];
  return found.next.map((hash) => table.placeOf(hash)).filter((next) => next !== -1 && isIn(next));
}

/** How many of the nodes that `isIn` refer to each of them: 4 bytes per node. */
export function countReferrers(store: Store, table: HashTable, isIn: IsIn): Uint32Array {
  const counts = new Uint32Array(table.size);
  for (let place = 0; place < table.size; place += 1) {
    if (!isIn(place)) continue;
    for (const next of placesAfter(store, table, place, isIn)) counts[next] = (counts[next] ?? 0) + 1;
  }
  return counts;
}
