import { CasError, getSchema, type Hash, type JsonValue, type Store } from "@uncaged/json-cas";
import { type Graph, readGraph } from "./graph.js";
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
