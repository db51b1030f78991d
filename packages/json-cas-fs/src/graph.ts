import { CasError, type CasNode, FOREIGN_ROOTS, type Hash, refs, type Store } from "@uncaged/json-cas";
import { scanFolder } from "./store/index.js";
import { type HashTable, hashList } from "./table.js";

/**
 * Whether a node is a schema whose type the original program hashed in its own way, so that nobody can read that
 * type: such a schema has no references and is accepted as it is.
 */
export function isForeignSchema(store: Pick<Store, "get">, { type }: CasNode): boolean {
  if (!FOREIGN_ROOTS.has(type)) return false;
  try {
    return store.get(type) === null;
  } catch (error) {
    if (error instanceof CasError && error.fault.code === "NODE_DAMAGED") return true;
    throw error;
  }
}

/** Why it is unknown what a node reaches. */
export type Trouble = {
  readonly kind: "missing" | "damaged";
  readonly hash: Hash;
  /** The node that refers to it; `null` for a root. */
  readonly referrer: Hash | null;
  /** What is wrong, as the end of a sentence about the node. */
  readonly message: string;
};

/** A node and its references. */
type ReadNode = {
  readonly type: Hash;
  /** Its references and its type, each once, itself never. */
  readonly next: readonly Hash[];
};

type NodeOutcome = ReadNode | "missing" | { readonly damage: string };

/**
 * Reads a node for its references. Throws errors that do not concern the node itself: `IO_FAILED`,
 * `UNSUPPORTED_FORMAT`.
 */
export function readForNext(store: Store, hash: Hash): NodeOutcome {
  try {
    const node = store.get(hash);
    if (node === null) return "missing";
    if (isForeignSchema(store, node)) return { type: node.type, next: [] };
    const next = new Set([...refs(store, node), node.type]);
    next.delete(hash);
    return { type: node.type, next: [...next] };
  } catch (error) {
    return { damage: damageIn(error, hash) };
  }
}

function damageIn(error: unknown, hash: Hash): string {
  if (!(error instanceof CasError)) throw error;
  const { fault } = error;
  switch (fault.code) {
    case "NODE_DAMAGED":
      return fault.hash === hash
        ? `is damaged: ${fault.reason}`
        : `has the type ${fault.hash}, which is damaged`;
    case "UNKNOWN_TYPE":
      return `has the type ${fault.type}, which is not a schema in this store`;
    case "INVALID_SCHEMA":
      return "has a type whose references cannot be followed";
    default:
      throw error;
  }
}

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

/** An entry that is not a file is damage, which is reported when it is read. */
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

/** The nodes of a folder at this moment. */
export function scanTable(dir: string): HashTable {
  const list = hashList();
  for (const entry of scanFolder(dir)) if (entry.kind === "node") list.add(entry.hash);
  return list.table();
}
