import { closeSync, readSync } from "node:fs";
import {
  CasError,
  getSchema,
  HASH_LENGTH,
  type Hash,
  isHash,
  type JsonValue,
  type Store,
} from "@uncaged/json-cas";
import { errnoOf, isNotRegular, openRegular } from "./files/index.js";
import { readForNext, scanTable } from "./graph.js";
import { createFsStore, formatGuard, fsStoreFile, lookAt } from "./store/index.js";
import type { HashTable } from "./table.js";

/** Nodes and the bytes of their files. */
export type UsageOf = { readonly nodes: number; readonly bytes: number };

export type UsageFigures = UsageOf & {
  /** Largest first; the type of a node whose type cannot be read is `null`. */
  readonly types: readonly (UsageOf & { readonly type: Hash | null; readonly title: string | null })[];
};

export type Usage = {
  readonly figures: () => UsageFigures;
  /** What these nodes reach through references and types, each node once; `isWhole` when nothing of it is missing or damaged. */
  readonly of: (roots: readonly Hash[]) => UsageOf & { readonly isWhole: boolean };
  /** What no call of `of` has reached. */
  readonly rest: () => UsageOf;
};

/** What a store's nodes take. Reads only; holds 20 bytes per node in memory. Throws `IO_FAILED`, `UNSUPPORTED_FORMAT`. */
export function createUsage(dir: string): Usage {
  formatGuard(dir).check();
  const store = createFsStore(dir);
  const table = scanTable(dir);
  const sizes = new Uint32Array(table.size);
  for (let place = 0; place < table.size; place += 1) sizes[place] = sizeOf(dir, table.hashAt(place));
  // Which call of `of` reached a node last.
  const reachedBy = new Uint32Array(table.size);
  const queue = new Uint32Array(table.size);
  let calls = 0;

  const of = (roots: readonly Hash[]) => {
    calls += 1;
    let [tail, bytes, isWhole] = [0, 0, true];
    const push = (hash: Hash): void => {
      const place = table.placeOf(hash);
      if (place === -1) isWhole = false;
      if (place === -1 || reachedBy[place] === calls) return;
      reachedBy[place] = calls;
      queue[tail] = place;
      tail += 1;
      bytes += sizes[place] ?? 0;
    };
    roots.forEach(push);
    for (let head = 0; head < tail; head += 1) {
      const found = readForNext(store, table.hashAt(queue[head] ?? 0));
      if (found === "missing" || "damage" in found) isWhole = false;
      else found.next.forEach(push);
    }
    return { nodes: tail, bytes, isWhole };
  };
  const rest = (): UsageOf => {
    let [nodes, bytes] = [0, 0];
    for (let place = 0; place < table.size; place += 1) {
      if (reachedBy[place] !== 0) continue;
      nodes += 1;
      bytes += sizes[place] ?? 0;
    }
    return { nodes, bytes };
  };
  return { figures: () => figuresOf(dir, store, table, sizes), of, rest };
}

function figuresOf(dir: string, store: Store, table: HashTable, sizes: Uint32Array): UsageFigures {
  const byType = new Map<Hash | null, { nodes: number; bytes: number }>();
  for (let place = 0; place < table.size; place += 1) {
    const type = typeIn(fsStoreFile(dir, table.hashAt(place)));
    const sum = byType.get(type) ?? { nodes: 0, bytes: 0 };
    sum.nodes += 1;
    sum.bytes += sizes[place] ?? 0;
    byType.set(type, sum);
  }
  const types = [...byType].map(([type, sum]) => ({ type, title: titleOf(store, type), ...sum }));
  types.sort((a, b) => b.bytes - a.bytes || ((a.type ?? "") < (b.type ?? "") ? -1 : 1));
  return { nodes: table.size, bytes: types.reduce((sum, { bytes }) => sum + bytes, 0), types };
}

function sizeOf(dir: string, hash: Hash): number {
  const stat = lookAt(fsStoreFile(dir, hash));
  return stat?.isFile() === true ? stat.size : 0;
}

// a3 64 type 6d <13 characters>: the type is at a fixed offset, the rest need not be read.
const TYPE_AT = 7;
const TYPE_END = TYPE_AT + HASH_LENGTH;

function typeIn(file: string): Hash | null {
  const bytes = Buffer.alloc(TYPE_END);
  try {
    const fd = openRegular(file, "refused");
    try {
      readSync(fd, bytes, 0, TYPE_END, 0);
    } finally {
      closeSync(fd);
    }
  } catch (error) {
    if (errnoOf(error) === null && !isNotRegular(error)) throw error;
  }
  const type = bytes.toString("latin1", TYPE_AT);
  return isHash(type) ? type : null;
}

function titleOf(store: Store, type: Hash | null): string | null {
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
