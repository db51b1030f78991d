import type { Hash, Store } from "@uncaged/json-cas";
import type { HashTable } from "../table/index.js";
import { readForNext } from "./read.js";
import type { Trouble } from "./types.js";

/** Marks what can be reached, in a table of the nodes that there were; 4 bytes per node and one more for the mark. */
export type Marker = {
  /** Marks a node and everything that it reaches through references and types. Nothing is visited twice. */
  readonly mark: (root: Hash, tell: (trouble: Trouble) => void) => void;
  readonly isMarked: (place: number) => boolean;
  /** Nodes of the table that are marked. */
  readonly count: () => number;
};

export function createMarker(store: Store, table: HashTable): Marker {
  const marked = new Uint8Array(table.size);
  // Every place is queued once, so the queue never needs more; it is kept from root to root.
  const queue = new Uint32Array(table.size);
  let [head, tail] = [0, 0];
  // Nodes that came after the table was made: few.
  const later = new Set<Hash>();
  const laterQueue: Hash[] = [];

  const push = (hash: Hash): boolean => {
    const place = table.placeOf(hash);
    if (place === -1) {
      if (later.has(hash)) return true;
      if (!isThere(store, hash)) return false;
      later.add(hash);
      laterQueue.push(hash);
    } else if (marked[place] === 0) {
      marked[place] = 1;
      queue[tail] = place;
      tail += 1;
    }
    return true;
  };
  const pop = (): Hash | null => {
    if (head === tail) return laterQueue.pop() ?? null;
    const hash = table.hashAt(queue[head] ?? 0);
    head += 1;
    return hash;
  };
  const mark = (root: Hash, tell: (trouble: Trouble) => void): void => {
    if (!push(root)) tell(missing(root, null));
    for (let hash = pop(); hash !== null; hash = pop()) {
      const found = readForNext(store, hash);
      if (found === "missing") tell(missing(hash, null));
      else if ("damage" in found) tell({ kind: "damaged", hash, referrer: null, message: found.damage });
      else for (const next of found.next) if (!push(next)) tell(missing(next, hash));
    }
  };
  return { mark, isMarked: (place) => marked[place] === 1, count: () => tail };
}

/** What stands there and is no file is damage, which shows when it is read. */
function isThere(store: Store, hash: Hash): boolean {
  try {
    return store.has(hash);
  } catch {
    return true;
  }
}

function missing(hash: Hash, referrer: Hash | null): Trouble {
  return { kind: "missing", hash, referrer, message: "does not exist" };
}
