import { CasError, type Hash, type Store } from "@uncaged/json-cas";
import { countReferrers, createMarker, placesAfter, scanTable, type Trouble } from "../graph/index.js";
import { fsStoreFile } from "../store/index.js";
import type { HashTable } from "../table/index.js";

export type Order = {
  readonly table: HashTable;
  /** Places, each after those of its type and its references. */
  readonly places: Uint32Array;
};

/**
 * Everything that the roots reach through references and types, in the order of the format, which depends on nothing but
 * the nodes. Throws `NODE_DAMAGED` when something is missing or damaged.
 */
export function orderOf(dir: string, store: Store, roots: readonly Hash[]): Order {
  const table = scanTable(dir);
  const marker = createMarker(store, table);
  for (const root of roots) marker.mark(root, (trouble) => fail(dir, trouble));
  const isIn = (place: number): boolean => marker.isMarked(place);
  return { table, places: inRounds(store, table, isIn, marker.count()) };
}

/** The nodes of a table that `isIn`, `size` of them, in that order. One that cannot be read refers to nothing. */
export function inRounds(
  store: Store,
  table: HashTable,
  isIn: (place: number) => boolean,
  size: number,
): Uint32Array {
  const referrers = countReferrers(store, table, isIn);
  const order = new Uint32Array(size);
  let tail = 0;
  const push = (place: number): void => {
    order[tail] = place;
    tail += 1;
  };
  for (let place = 0; place < table.size; place += 1) if (isIn(place) && referrers[place] === 0) push(place);
  for (let start = 0; start < tail; ) {
    // Places are in the order of hashes.
    const round = order.subarray(start, tail).sort();
    start = tail;
    for (const place of round) {
      for (const next of placesAfter(store, table, place, isIn)) {
        referrers[next] = (referrers[next] ?? 0) - 1;
        if (referrers[next] === 0) push(next);
      }
    }
  }
  return order.reverse();
}

function fail(dir: string, { hash, referrer, message }: Trouble): never {
  const reason = referrer === null ? message : `${message} (referred to by ${referrer})`;
  throw new CasError({ code: "NODE_DAMAGED", hash, file: fsStoreFile(dir, hash), reason });
}
