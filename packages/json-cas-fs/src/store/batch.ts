import {
  type Backend,
  CasError,
  type CasNode,
  type Hash,
  type JsonValue,
  META_SCHEMA_HASH,
  putNode,
} from "@uncaged/json-cas";
import { collectSyncs, type UnnamedFile, writeUnnamed } from "../files/index.js";
import { fsStoreFile } from "./folder.js";
import type { FormatGuard } from "./format.js";
import type { PendingLine } from "./index-lines.js";
import { beginWrite, confirmNode, putInto, replaceNode } from "./write.js";

// Every fsync flushes whatever the file system's journal holds, and finds little to do right after another one. So nodes
// that are written together go through their states together: all index lines and temporary files, then a fsync of each
// of them, then all names, then a fsync of the folder. Two flushes, for up to `MOST_UNNAMED` nodes at a time.

/** Nodes that are written together. They can be read at once, and have their names and are durable after `commit`. */
export type Batch = {
  /** Throws as `put` of the store does; after a failing write everything but `drop` is a mistake. */
  readonly put: (type: Hash, payload: JsonValue) => Hash;
  readonly get: (hash: Hash) => CasNode | null;
  /** Whether it has been put and has no name yet. */
  readonly holds: (hash: Hash) => boolean;
  /** Gives every node its name; only then others see it. */
  readonly name: () => void;
  readonly commit: () => void;
  /** Called at the end in every case: removes unnamed files and ends the batch. */
  readonly drop: () => void;
};

export type BatchTarget = {
  readonly dir: string;
  readonly format: FormatGuard;
  readonly get: (hash: Hash) => CasNode | null;
  readonly lacks: (hash: Hash) => boolean;
  /** Epoch ms. */
  readonly now: () => number;
};

type Unnamed = { readonly node: CasNode; readonly file: UnnamedFile; readonly line: PendingLine };

/** Each node holds two open files; a step has four nodes, plus one for every turn that its agent reports. */
const MOST_UNNAMED = 16;

export function openBatch({ dir, format, get, lacks, now }: BatchTarget): Batch {
  // Lines come before names: one that is lost in a power cut would leave a node that its index does not name.
  const [lines, names] = [collectSyncs(), collectSyncs()];
  const unnamed = new Map<Hash, Unnamed>();
  let isOver = false;
  const begin = (hash: Hash, node: CasNode): boolean => {
    const { bytes, line } = beginWrite({ dir, format, syncs: lines }, hash, node);
    try {
      unnamed.set(hash, { node, line, file: writeUnnamed(fsStoreFile(dir, hash), bytes) });
    } catch (error) {
      line.close();
      throw error;
    }
    if (unnamed.size >= MOST_UNNAMED) name();
    // Once in the life of a store: schemas that uwf knows are gc roots, and gc stops if one of them has lost its
    // type.
    if (hash === META_SCHEMA_HASH) {
      name();
      unlessOver(names.flush);
    }
    return true;
  };
  const nameAll = (): void => {
    for (const { file } of unnamed.values()) file.sync();
    lines.flush();
    for (const [hash, { node, file, line }] of unnamed) {
      const isNew = file.name(names);
      line.confirm();
      line.close();
      unnamed.delete(hash);
      // Another writer was faster: its node is checked like any existing one.
      if (!isNew) putInto({ place: { dir, format, syncs: names }, get, lacks, now }, node.type, node.payload);
    }
  };
  const refuseIfOver = (): void => {
    if (isOver) throw new Error("the batch has failed or ended");
  };
  /** An fsync that failed once proves nothing the second time: nothing continues after a failure. */
  const unlessOver = <T>(action: () => T): T => {
    refuseIfOver();
    isOver = true;
    const result = action();
    isOver = false;
    return result;
  };
  const name = (): void => unlessOver(nameAll);
  const read = (hash: Hash): CasNode | null => unnamed.get(hash)?.node ?? get(hash);
  const place = { dir, format, syncs: names };
  const backend: Backend = {
    get: read,
    lacks: (hash) => !unnamed.has(hash) && lacks(hash),
    create: begin,
    replace: replaceNode.bind(null, place),
    confirm: (hash, node) => {
      if (!unnamed.has(hash)) confirmNode(place, now, hash, node);
    },
    now,
  };
  return {
    put: (type, payload) => {
      refuseIfOver();
      return putNode(backend, type, payload);
    },
    get: read,
    holds: (hash) => unnamed.has(hash),
    name,
    commit: () => {
      name();
      unlessOver(() => {
        // What was written again because somebody had replaced the index.
        lines.flush();
        names.flush();
      });
    },
    drop: () => {
      isOver = true;
      for (const { file, line } of unnamed.values()) {
        file.drop();
        quietly(line.close);
      }
      unnamed.clear();
    },
  };
}

function quietly(action: () => void): void {
  try {
    action();
  } catch (error) {
    if (!(error instanceof CasError)) throw error;
  }
}
