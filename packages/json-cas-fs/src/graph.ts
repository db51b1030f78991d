import { CasError, getSchema, type Hash, type JsonValue, type Store } from "@uncaged/json-cas";
import {
  CLASH,
  clashesIn,
  createFsStore,
  eachNode,
  forgetPacks,
  formatGuard,
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

/** Nodes and their bytes. */
export type UsageOf = { readonly nodes: number; readonly bytes: number };

export type UsageFigures = UsageOf & {
  /** Largest first; the type of a node whose type cannot be read is `null`. */
  readonly types: readonly (UsageOf & { readonly type: Hash | null; readonly title: string | null })[];
};

export type Usage = {
  readonly figures: () => UsageFigures;
  /** Counts each node that these reach by references and types; `isWhole`: none is missing or damaged. */
  readonly of: (roots: readonly Hash[]) => UsageOf & { readonly isWhole: boolean };
  /** Counts the nodes that no call of `of` has reached. */
  readonly rest: () => UsageOf;
};

/**
 * What a store's nodes take. Reads only. Throws `IO_FAILED`, `UNSUPPORTED_FORMAT`, `PACK_DAMAGED`.
 */
export function createUsage(dir: string): Usage {
  formatGuard(dir).check();
  forgetPacks(dir);
  const { table, nodeAt } = readGraph(dir);
  const size = table.size();
  const reached = new Uint8Array(size);

  const of = (roots: readonly Hash[]) => {
    const found = new Set(roots.map(table.placeOf));
    let isWhole = !found.delete(-1);
    let bytes = 0;
    // Walked while it grows.
    for (const place of found) {
      const node = nodeAt(place);
      reached[place] = 1;
      bytes += node.size;
      if (node.damage !== null || node.missing.length > 0) isWhole = false;
      for (const next of node.next) found.add(next);
    }
    return { nodes: found.size, bytes, isWhole };
  };
  const rest = (): UsageOf => {
    let [nodes, bytes] = [0, 0];
    for (let place = 0; place < size; place += 1) {
      if (reached[place] !== 0) continue;
      nodes += 1;
      bytes += nodeAt(place).size;
    }
    return { nodes, bytes };
  };
  return { figures: () => countUsage(createFsStore(dir), { table, nodeAt }), of, rest };
}

function countUsage(store: Store, { table, nodeAt }: Pick<Graph, "table" | "nodeAt">): UsageFigures {
  const sums = new Map<Hash | null, { nodes: number; bytes: number }>();
  let bytes = 0;
  for (let place = 0; place < table.size(); place += 1) {
    const { type, size } = nodeAt(place);
    const sum = sums.get(type) ?? { nodes: 0, bytes: 0 };
    sums.set(type, sum);
    sum.nodes += 1;
    sum.bytes += size;
    bytes += size;
  }
  const types = [...sums].map(([type, sum]) => ({ type, title: readTitle(store, type), ...sum }));
  types.sort((a, b) => b.bytes - a.bytes || ((a.type ?? "") < (b.type ?? "") ? -1 : 1));
  return { nodes: table.size(), bytes, types };
}

function readTitle(store: Store, type: Hash | null): string | null {
  const schema: JsonValue = type === null ? null : schemaOrNull(store, type);
  if (typeof schema !== "object" || schema === null || !("title" in schema)) return null;
  return typeof schema.title === "string" ? schema.title : null;
}

function schemaOrNull(store: Store, type: Hash): JsonValue {
  try {
    return getSchema(store, type);
  } catch (error) {
    if (error instanceof CasError) return null;
    throw error;
  }
}
