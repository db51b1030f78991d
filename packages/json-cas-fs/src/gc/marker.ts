import type { Hash, Store } from "@uncaged/json-cas";
import type { Graph } from "../graph.js";
import { type Hold, orDamage, readNext, VANISHED } from "../store/index.js";

/** A node that something outside the store relies on. */
export type Root = {
  readonly hash: Hash;
  /** Where it stands: `heads`, `history`; counted by it. */
  readonly label: string;
  /**
   * It must be there, and so must what it reaches: what is missing or damaged there stops gc. Another root is passed over if
   * it is missing, and what is wrong with what only it reaches is reported and stops nothing.
   */
  readonly required: boolean;
};

/**
 * Tells every root there is at this moment, the required ones first; asked again while nodes are removed, and then needs not repeat one that is
 * not required. What it throws ends everything.
 */
export type RootSource = (tell: (root: Root) => void) => Promise<void>;

export type GcOptions = {
  readonly roots: RootSource;
  /** Nodes that are known to be gone: what refers to one stays, as if it referred to nothing. */
  readonly accepted: ReadonlySet<Hash>;
  /** Epoch ms: nodes written or put again since then stay, and so does what they reach. */
  readonly cutoff: number;
  /** `false` only says what would go. */
  readonly remove: boolean;
  /** Runs `work` while the roots cannot change. */
  readonly hold: Hold;
  /** Lets others have what `hold` holds. */
  readonly pause: () => Promise<void>;
  /** Whether a slice of removing that began at this call has lasted long enough. */
  readonly startSlice: () => () => boolean;
  /** `stops`: because of it nothing (more) is removed. `root`: what leads there; `null`: no root does. */
  readonly tell: (trouble: Trouble, stops: boolean, root: Root | null) => void;
  /** Each node that goes, or would. */
  readonly removed: (hash: Hash) => void;
  /**
   * What it keeps is packed if more than `above` nodes that the roots reach have files of their own; `first` gives what
   * comes first in a pack. `null` packs nothing.
   */
  readonly pack: {
    readonly above: number;
    readonly first: () => Promise<readonly Hash[]>;
    /** Epoch ms. */
    readonly now: () => number;
  } | null;
};

export type GcFigures = {
  /** Nodes and their bytes before. */
  readonly nodes: number;
  /** Roots by label; a node under several labels counts for each. */
  readonly roots: Readonly<Record<string, number>>;
  /** Reached from the roots. */
  readonly reachable: number;
  /** Not reached, but younger than the grace period, or reached from such a one. */
  readonly young: number;
  /** What neither holds: removed, or to be removed. */
  readonly garbage: number;
  readonly garbageBytes: number;
  readonly removed: number;
  readonly removedBytes: number;
  /** Lines that went from the index. */
  readonly indexLines: number;
  /** Nodes that an earlier gc set aside before it died, and that this one has put back. */
  readonly restored: number;
  /** Nodes that were packed. */
  readonly packed: number;
  /** Whether something prevents removal. */
  readonly refused: boolean;
};

/** Why it is unknown what a node reaches. */
export type Trouble = {
  readonly kind: "missing" | "damaged";
  readonly hash: Hash;
  /** The node that refers to it; `null` for a root. */
  readonly referrer: Hash | null;
  /** What is wrong, as the end of a sentence about the node. */
  readonly message: string;
};

export type Marker = ReturnType<typeof createMarker>;

/** Marks what can be reached; 5 bytes per node. */
export function createMarker(store: Store, graph: Graph) {
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
  /** Marks a node and everything that it reaches through references and types. Nothing is visited twice. */
  const mark = (root: Hash, tell: (trouble: Trouble) => void): void => {
    if (!push(root)) tell(trouble(root, VANISHED));
    for (;;) {
      for (; head < tail; head += 1) visit(queue[head] ?? 0, tell);
      const hash = laterQueue.pop();
      if (hash === undefined) return;
      visitLater(hash, tell);
    }
  };
  /** `count`: of the nodes of the table that are marked. */
  return { mark, isMarked: (place: number): boolean => marked[place] === 1, count: () => tail };
}

function trouble(hash: Hash, message: string, referrer: Hash | null = null): Trouble {
  return { kind: message === VANISHED ? "missing" : "damaged", hash, referrer, message };
}
