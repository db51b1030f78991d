import type { Hash } from "@uncaged/json-cas";
import {
  CLASH,
  clashesIn,
  createFsStore,
  eachNode,
  type Inventory,
  nodeIn,
  readNext,
  refuseBrokenPacks,
  takeInventory,
  typeIn,
  VANISHED,
} from "./store/index.js";

// Commands that look at every node read every file once, one after the other, and keep where the references lead as
// numbers.

export type GraphNode = {
  /** Bytes. */
  readonly size: number;
  /** `null` if that cannot be known. */
  readonly type: Hash | null;
  /** The places of its references and its type, each once, as far as they are there. */
  readonly next: readonly number[];
  /** What it refers to and what is not there. */
  readonly missing: readonly Hash[];
  /** What is wrong with it, as the end of a sentence; `null` if nothing is. */
  readonly damage: string | null;
};

/** The nodes of a folder at one moment, and what they refer to. */
export type Graph = Inventory & { readonly nodeAt: (place: number) => GraphNode };

/** Throws `IO_FAILED`, `UNSUPPORTED_FORMAT`, `PACK_DAMAGED`. */
export function readGraph(dir: string): Graph {
  const store = createFsStore(dir);
  const inventory = takeInventory(dir);
  refuseBrokenPacks(dir);
  const { table } = inventory;
  const gone: GraphNode = { size: 0, type: null, next: [], missing: NONE, damage: VANISHED };
  const nodes: GraphNode[] = new Array(table.size()).fill(gone);
  eachNode(dir, inventory, false, (place, hash, content) => {
    if (content === null) return;
    const found = readNext(store, hash, nodeIn(hash, content));
    const size = "damage" in content ? 0 : content.length;
    if ("damage" in found) {
      const type = "damage" in content ? null : typeIn(content);
      nodes[place] = { ...gone, size, type, damage: found.damage };
      return;
    }
    const next = found.next.map(table.placeOf);
    const missing = next.includes(-1) ? found.next.filter((_hash, index) => next[index] === -1) : NONE;
    const there = missing === NONE ? next : next.filter((other) => other !== -1);
    nodes[place] = { size, type: found.type, next: there, missing, damage: null };
  });
  // Which of the two its referrers mean is unknown, and so what it refers to.
  for (const { hash } of clashesIn(dir, inventory)) {
    const place = table.placeOf(hash);
    nodes[place] = { ...(nodes[place] ?? gone), damage: `is damaged: ${CLASH}` };
  }
  return { ...inventory, nodeAt: (place) => nodes[place] ?? gone };
}

const NONE: readonly Hash[] = [];
