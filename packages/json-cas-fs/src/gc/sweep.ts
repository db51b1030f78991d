import type { Hash, Store } from "@uncaged/json-cas";
import { countReferrers, type Marker, readForNext } from "../graph/index.js";
import { setAside } from "../store/index.js";
import type { HashTable } from "../table/index.js";

// A node goes only after every node that refers to it: whenever gc dies, nothing that is left refers to something that
// is gone. And a node that turns out to be needed after all keeps what it reaches.

export type Sweep = {
  /** Removes until `isOver`, at least one; gives whether something is left. */
  readonly run: (isOver: () => boolean) => boolean;
  readonly removed: () => { readonly nodes: number; readonly bytes: number };
  readonly wasRemoved: (hash: Hash) => boolean;
  /** Types of removed nodes; `null` among them: of one whose type could not be read. */
  readonly types: ReadonlySet<Hash | null>;
};

export type SweepOptions = {
  readonly dir: string;
  readonly store: Store;
  readonly table: HashTable;
  readonly marker: Marker;
  readonly cutoff: number;
  readonly tell: (hash: Hash) => void;
};

/** Prepares to remove what is not marked; what is marked later stays. 9 bytes per node. */
export function createSweep({ dir, store, table, marker, cutoff, tell }: SweepOptions): Sweep {
  const isGarbage = (place: number): boolean => !marker.isMarked(place);
  const referrers = countReferrers(store, table, isGarbage);
  const gone = new Uint8Array(table.size);
  const types = new Set<Hash | null>();
  const queue = new Uint32Array(table.size);
  let [head, tail, nodes, bytes] = [0, 0, 0, 0];

  const push = (place: number): void => {
    queue[tail] = place;
    tail += 1;
  };
  for (let place = 0; place < table.size; place += 1) {
    if (isGarbage(place) && referrers[place] === 0) push(place);
  }
  const release = (hash: Hash): void => {
    const place = table.placeOf(hash);
    const left = place === -1 ? 0 : (referrers[place] ?? 0);
    if (left === 0) return;
    referrers[place] = left - 1;
    if (left === 1 && isGarbage(place)) push(place);
  };
  const remove = (place: number): void => {
    const hash = table.hashAt(place);
    const found = readForNext(store, hash);
    const size = found === "missing" ? null : setAside(dir, hash, cutoff);
    if (found === "missing" || size === null) return;
    gone[place] = 1;
    nodes += 1;
    bytes += size;
    tell(hash);
    types.add("damage" in found ? null : found.type);
    if (!("damage" in found)) for (const next of found.next) release(next);
  };
  const run = (isOver: () => boolean): boolean => {
    while (head < tail) {
      const place = queue[head] ?? 0;
      head += 1;
      if (isGarbage(place)) remove(place);
      if (isOver()) break;
    }
    return head < tail;
  };
  return {
    run,
    removed: () => ({ nodes, bytes }),
    wasRemoved: (hash) => gone[table.placeOf(hash)] === 1,
    types,
  };
}
