import type { Hash, Store } from "@uncaged/json-cas";
import type { Graph } from "./graph.js";
import { orDamage, readNext, VANISHED } from "./store/index.js";

/** Why it is unknown what a node reaches. */
export type Trouble = {
  readonly kind: "missing" | "damaged";
  readonly hash: Hash;
  /** The node that refers to it; `null` for a root. */
  readonly referrer: Hash | null;
  /** What is wrong, as the end of a sentence about the node. */
  readonly message: string;
};

/** Marks what can be reached; 5 bytes per node. */
export type Marker = {
  /** Marks a node and everything that it reaches through references and types. Nothing is visited twice. */
  readonly mark: (root: Hash, tell: (trouble: Trouble) => void) => void;
  readonly isMarked: (place: number) => boolean;
  /** Nodes of the table that are marked. */
  readonly count: () => number;
};

export function createMarker(store: Store, graph: Graph): Marker {
  const { table } = graph;
  const marked = new Uint8Array(table.size());
  // Every place is queued once, so the queue never needs more; it is kept from root to root.
  const queue = new Uint32Array(table.size());
  let [head, tail] = [0, 0];
  // Nodes that came after the graph was read: few.
  const later = new Set<Hash>();
  const laterQueue: Hash[] = [];

  const pushPlace = (place: number): void => {
    if (marked[place] === 1) return;
    marked[place] = 1;
    queue[tail] = place;
    tail += 1;
  };
  const push = (hash: Hash): boolean => {
    const place = table.placeOf(hash);
    if (place !== -1) {
      pushPlace(place);
      return true;
    }
    if (later.has(hash)) return true;
    // An entry that is not a file is damage, which is reported when it is read.
    if (orDamage(() => store.has(hash)) === false) return false;
    later.add(hash);
    laterQueue.push(hash);
    return true;
  };
  const visit = (place: number, tell: (trouble: Trouble) => void): void => {
    const { damage, next, missing: absent } = graph.nodeAt(place);
    if (damage !== null) {
      tell(trouble(table.hashAt(place), damage));
      return;
    }
    next.forEach(pushPlace);
    for (const hash of absent) if (!push(hash)) tell(trouble(hash, VANISHED, table.hashAt(place)));
  };
  const visitLater = (hash: Hash, tell: (trouble: Trouble) => void): void => {
    const found = readNext(store, hash);
    if ("damage" in found) tell(trouble(hash, found.damage));
    else for (const next of found.next) if (!push(next)) tell(trouble(next, VANISHED, hash));
  };
  const mark = (root: Hash, tell: (trouble: Trouble) => void): void => {
    if (!push(root)) tell(trouble(root, VANISHED));
    for (;;) {
      for (; head < tail; head += 1) visit(queue[head] ?? 0, tell);
      const hash = laterQueue.pop();
      if (hash === undefined) return;
      visitLater(hash, tell);
    }
  };
  return { mark, isMarked: (place) => marked[place] === 1, count: () => tail };
}

function trouble(hash: Hash, message: string, referrer: Hash | null = null): Trouble {
  return { kind: message === VANISHED ? "missing" : "damaged", hash, referrer, message };
}
