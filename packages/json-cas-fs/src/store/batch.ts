import { type Backend, type CasNode, type Hash, type JsonValue, putNode } from "@uncaged/json-cas";
import { collectSyncs, type UnnamedFile, writeUnnamed } from "../files/index.js";
import type { FormatGuard } from "./format.js";
import type { PendingLine } from "./index-lines.js";
import { fsStoreFile } from "./layout.js";
import { putInto } from "./put.js";
import { beginWrite, confirmNode, replaceNode } from "./write.js";

// Every fsync flushes whatever the file system's journal holds, and finds little to do right after another one. So nodes
// that are written together go through their states together: all index lines and temporary files, then a fsync of each
// file, then all names, then a fsync of each index and of the folder. Two flushes, however many nodes there are.

/** Nodes that are written together. They can be read at once, and have their names and are durable after `commit`. */
export type Batch = {
  readonly put: (type: Hash, payload: JsonValue) => Hash;
  readonly get: (hash: Hash) => CasNode | null;
  /** Whether it has been put and has no name yet. */
  readonly holds: (hash: Hash) => boolean;
  /** Gives every node its name; only then others see it. */
  readonly name: () => void;
  readonly commit: () => void;
  /** At the end of every way: removes what has no name. */
  readonly drop: () => void;
};

export type BatchTarget = {
  readonly dir: string;
  readonly format: FormatGuard;
  readonly get: (hash: Hash) => CasNode | null;
  /** Epoch ms. */
  readonly now: () => number;
};

type Unnamed = { readonly node: CasNode; readonly file: UnnamedFile; readonly line: PendingLine };

/** Each holds two open files. */
const MOST_UNNAMED = 64;

export function openBatch({ dir, format, get, now }: BatchTarget): Batch {
  const syncs = collectSyncs();
  const place = { dir, format, syncs };
  const unnamed = new Map<Hash, Unnamed>();
  const begin = (hash: Hash, node: CasNode): boolean => {
    const { bytes, line } = beginWrite(place, hash, node);
    try {
      unnamed.set(hash, { node, line, file: writeUnnamed(fsStoreFile(dir, hash), bytes) });
    } catch (error) {
      line.close();
      throw error;
    }
    if (unnamed.size >= MOST_UNNAMED) name();
    return true;
  };
  const name = (): void => {
    for (const { file } of unnamed.values()) file.sync();
    for (const [hash, { node, file, line }] of unnamed) {
      const isNew = file.name(syncs);
      line.confirm();
      end(hash);
      // Another writer was quicker: what it wrote is looked at like everything that is there already.
      if (!isNew) putInto({ place, get, now }, node.type, node.payload);
    }
  };
  const end = (hash: Hash): void => {
    const one = unnamed.get(hash);
    unnamed.delete(hash);
    one?.line.close();
    one?.file.drop();
  };
  const read = (hash: Hash): CasNode | null => unnamed.get(hash)?.node ?? get(hash);
  const backend: Backend = {
    get: read,
    create: begin,
    replace: replaceNode.bind(null, place),
    confirm: (hash, node) => {
      if (!unnamed.has(hash)) confirmNode(place, now, hash, node);
    },
    now,
  };
  return {
    put: (type, payload) => putNode(backend, type, payload),
    get: read,
    holds: (hash) => unnamed.has(hash),
    name,
    commit: () => {
      name();
      syncs.flush();
    },
    drop: () => {
      for (const hash of [...unnamed.keys()]) end(hash);
    },
  };
}
