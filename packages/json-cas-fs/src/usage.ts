import { CasError, getSchema, type Hash, type JsonValue, type Store } from "@uncaged/json-cas";
import { type Graph, readGraph } from "./graph/index.js";
import { createFsStore, forgetPacks, formatGuard } from "./store/index.js";

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
 * What a store's nodes take. Reads only, and hashes nothing that has the form of its type; holds up to 64 bytes
 * per node and 4 per reference in memory. Throws `IO_FAILED`,
 * `UNSUPPORTED_FORMAT`, `PACK_DAMAGED`.
 */
export function createUsage(dir: string): Usage {
  formatGuard(dir).check();
  forgetPacks(dir);
  const graph = readGraph(dir, { hashed: false });
  const size = graph.table.size();
  // Which call of `of` reached a node last.
  const reachedBy = new Uint32Array(size);
  const queue = new Uint32Array(size);
  let calls = 0;

  const of = (roots: readonly Hash[]) => {
    calls += 1;
    let [tail, bytes, isWhole] = [0, 0, true];
    const push = (place: number): void => {
      if (place === -1) isWhole = false;
      if (place === -1 || reachedBy[place] === calls) return;
      reachedBy[place] = calls;
      queue[tail] = place;
      tail += 1;
      bytes += graph.sizeAt(place);
    };
    for (const root of roots) push(graph.table.placeOf(root));
    for (let head = 0; head < tail; head += 1) {
      const place = queue[head] ?? 0;
      if (graph.damage(place) !== null || graph.missing(place).size > 0) isWhole = false;
      for (const next of graph.next(place)) push(next);
    }
    return { nodes: tail, bytes, isWhole };
  };
  const rest = (): UsageOf => {
    let [nodes, bytes] = [0, 0];
    for (let place = 0; place < size; place += 1) {
      if (reachedBy[place] !== 0) continue;
      nodes += 1;
      bytes += graph.sizeAt(place);
    }
    return { nodes, bytes };
  };
  return { figures: () => countUsage(createFsStore(dir), graph), of, rest };
}

function countUsage(store: Store, graph: Graph): UsageFigures {
  const byType = new Map<number, { nodes: number; bytes: number }>();
  const others = new Map<Hash | null, { nodes: number; bytes: number }>();
  for (let place = 0; place < graph.table.size(); place += 1) {
    const type = graph.typeAt(place);
    const sum = type === -1 ? sumIn(others, graph.typeOf(place)) : sumIn(byType, type);
    sum.nodes += 1;
    sum.bytes += graph.sizeAt(place);
  }
  const known = [...byType].map(([place, sum]) => [graph.table.hashAt(place), sum] as const);
  const types = [...known, ...others].map(([type, sum]) => ({ type, title: readTitle(store, type), ...sum }));
  types.sort((a, b) => b.bytes - a.bytes || ((a.type ?? "") < (b.type ?? "") ? -1 : 1));
  return { nodes: graph.table.size(), bytes: types.reduce((sum, { bytes }) => sum + bytes, 0), types };
}

function sumIn<Key>(sums: Map<Key, { nodes: number; bytes: number }>, key: Key) {
  const sum = sums.get(key) ?? { nodes: 0, bytes: 0 };
  sums.set(key, sum);
  return sum;
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
