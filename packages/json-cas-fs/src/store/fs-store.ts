import {
  type Backend,
  CasError,
  type CasNode,
  encode,
  type Hash,
  isHash,
  type JsonValue,
  META_SCHEMA_HASH,
  putNode,
  type Store,
} from "@uncaged/json-cas";
import { AT_ONCE, collectSyncs, type UnnamedFile, writeUnnamed } from "../files/index.js";
import { type NewPack, newPack } from "../pack/index.js";
import { allowPacks, type FormatGuard, formatGuard, fsStoreFile } from "./folder.js";
import { announce, type PendingLines, readIndex } from "./index-lines.js";
import { hashesNow } from "./inventory.js";
import { mergePacks } from "./pack.js";
import { lacksNode, nodeExists, probablyLacksNode, readNode } from "./read.js";
import { encodeWithin, putInto, refreshNode, replaceNode } from "./write.js";

/** A store on disk. */
export type FsStore = Store & {
  /**
   * Runs `work` with a store whose nodes get their names together and are durable when it ends, in files of their own or, if
   * they are many, in one pack; no hash may be reported before. Errors of `work` pass through, and what it has put may or may not
   * stay; a failing write is `IO_FAILED`.
   */
  readonly together: <T>(work: (store: Store) => Promise<T>) => Promise<T>;
};

/** Runs `work` while no other holder removes nodes or changes what refers to them. */
export type Hold = <T>(work: () => Promise<T>) => Promise<T>;

export type FsStoreOptions = {
  /** Epoch ms; the timestamp of new nodes. */
  readonly now: () => number;
};

// Nodes that are written together are kept in memory, and then go through their states together. A few of them: all index
// lines and temporary files, a fsync of each, all names, a fsync of the folder. Every fsync flushes whatever the file
// system's journal holds, and finds little to do right after another one: two flushes. Many of them become one pack: its
// index lines, the pack, its index, their names.

type BatchTarget = {
  readonly dir: string;
  readonly format: FormatGuard;
  readonly get: (hash: Hash) => CasNode | null;
  readonly lacks: (hash: Hash) => boolean;
  /** Epoch ms. */
  readonly now: () => number;
};

type Pending = { readonly node: CasNode; readonly bytes: Uint8Array };

/**
 * More nodes than this become a pack. A step has four, plus six for every turn with a tool call that its agent reports: a
 * trace of fifty turns would be 305 files.
 */
const MOST_FILES = 32;

/** Bytes that are kept in memory. */
const MOST_BYTES = 64 * 1024 * 1024;

/** Nodes that are written together. They can be read at once, and have their names and are durable after `commit`. */
function openBatch({ dir, format, get, lacks, now }: BatchTarget) {
  const confirmed = collectSyncs();
  const pending = new Map<Hash, Pending>();
  const unnamed: UnnamedFile[] = [];
  let announced: PendingLines | null = null;
  const packs: NewPack[] = [];
  let [isOver, bytesHeld, hasPacked] = [false, 0, false];
  const place = { dir, format, syncs: confirmed };

  const begin = (hash: Hash, node: CasNode, payloadBytes: Uint8Array): boolean => {
    const bytes = encodeWithin(node, payloadBytes);
    pending.set(hash, { node, bytes });
    bytesHeld += bytes.length;
    // Once in the life of a store: schemas that uwf knows are gc roots, and gc stops if one of them has lost its type.
    if (hash === META_SCHEMA_HASH || bytesHeld > MOST_BYTES) name();
    return true;
  };
  /** Lines come before names: one that is lost in a power cut would leave a node that its index does not name. */
  const announcePending = (syncs: ReturnType<typeof collectSyncs>): void => {
    const nodes = [...pending].map(([hash, { node }]) => [hash, node.type] as const);
    announced = announce(dir, nodes, syncs);
  };
  const writeFiles = (): void => {
    const [lines, names] = [collectSyncs(), collectSyncs()];
    announcePending(lines);
    for (const [hash, { bytes }] of pending) unnamed.push(writeUnnamed(fsStoreFile(dir, hash), bytes));
    for (const file of unnamed) file.sync();
    lines.flush();
    for (const { node } of pending.values()) {
      const isNew = unnamed.shift()?.name(names) ?? false;
      // Another writer was faster: its node is checked like any existing one.
      if (!isNew) putInto({ place: { ...place, syncs: names }, get, lacks, now }, node.type, node.payload);
    }
    names.flush();
  };
  const writePack = (): void => {
    const lines = collectSyncs();
    announcePending(lines);
    const pack = newPack(dir);
    packs.push(pack);
    for (const [hash, { bytes }] of pending) pack.add(hash, bytes);
    lines.flush();
    allowPacks(dir);
    pack.finish();
    hasPacked = true;
  };
  const nameAll = (): void => {
    if (pending.size === 0) return;
    format.ensure();
    if (pending.size > MOST_FILES) writePack();
    else writeFiles();
    announced?.confirm();
    announced?.close();
    announced = null;
    pending.clear();
    bytesHeld = 0;
  };
  const refuseIfOver = (): void => {
    if (isOver) throw new Error("the batch has failed or ended");
  };
  /** An fsync that failed once proves nothing the second time: nothing continues after a failure. */
  const unlessOver = (action: () => void): void => {
    refuseIfOver();
    isOver = true;
    action();
    isOver = false;
  };
  const name = (): void => unlessOver(nameAll);
  // Every put asks for its type, of which there are few.
  const types = new Map<Hash, CasNode>();
  const read = (hash: Hash): CasNode | null => {
    const known = pending.get(hash)?.node ?? types.get(hash);
    if (known !== undefined) return known;
    const node = get(hash);
    if (node?.type === META_SCHEMA_HASH) types.set(hash, node);
    return node;
  };
  const backend: Backend = {
    get: read,
    lacks: (hash) => !pending.has(hash) && lacks(hash),
    create: begin,
    replace: replaceNode.bind(null, place),
    confirm: (hash, node) => {
      if (pending.has(hash)) return;
      const found = refreshNode(place, now, hash);
      if (found === "packed") begin(hash, node, encode(node.payload));
      if (found === "gone") replaceNode(place, hash, node);
    },
    now,
  };
  return {
    /** Throws as `put` of the store does; after a failing write everything but `drop` is a mistake. */
    put: (type: Hash, payload: JsonValue): Hash => {
      refuseIfOver();
      return putNode(backend, type, payload);
    },
    get: read,
    /** Whether it has been put and has no name yet. */
    holds: (hash: Hash): boolean => pending.has(hash),
    /** Gives every node its name; only then others see it. */
    name,
    /** Whether a pack was written. */
    commit: (): boolean => {
      name();
      unlessOver(confirmed.flush);
      return hasPacked;
    },
    /** Called at the end in every case: removes unnamed files and ends the batch. */
    drop: (): void => {
      isOver = true;
      for (const file of unnamed.splice(0)) file.drop();
      for (const pack of packs.splice(0)) pack.drop();
      if (announced !== null) quietly(announced.close);
      pending.clear();
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

/**
 * A store in a folder, which is created with the first node. Opening touches nothing; readers write nothing.
 * Any number of processes may read and write the same folder.
 * Beyond the faults of every store: `IO_FAILED`, `NODE_DAMAGED` and, at the first access, `UNSUPPORTED_FORMAT`.
 */
export function createFsStore(dir: string, options: FsStoreOptions = { now: Date.now }): FsStore {
  const format = formatGuard(dir);
  const get = (hash: Hash) => {
    format.check();
    return isHash(hash) ? readNode(dir, hash) : null;
  };
  const has = (hash: Hash): boolean => {
    format.check();
    return isHash(hash) && nodeExists(dir, hash);
  };
  const lacks = (hash: Hash): boolean => {
    format.check();
    return lacksNode(dir, hash);
  };
  const { now } = options;
  const list = (): readonly Hash[] => {
    format.check();
    return [...hashesNow(dir).values()].sort();
  };
  const listByType = (type: Hash): readonly Hash[] => {
    format.check();
    return isHash(type)
      ? readIndex(dir, type)
          .filter((hash) => !lacksNode(dir, hash))
          .sort()
      : [];
  };
  return {
    put: async (type, payload) =>
      putInto({ place: { dir, format, syncs: AT_ONCE }, get, lacks, now }, type, payload),
    get,
    has,
    list,
    listByType,
    together: async (work) => {
      let isFirst = true;
      const lacksNow = (hash: Hash): boolean => {
        const isLacking = isFirst ? lacks(hash) : probablyLacksNode(dir, hash);
        isFirst = false;
        return isLacking;
      };
      const batch = openBatch({ dir, format, get, lacks: lacksNow, now });
      // Listing reads only the names in the folder.
      const named = <T>(read: () => T): T => {
        batch.name();
        return read();
      };
      try {
        const result = await work({
          put: async (type, payload) => batch.put(type, payload),
          get: batch.get,
          has: (hash) => batch.holds(hash) || has(hash),
          list: () => named(list),
          listByType: (type) => named(() => listByType(type)),
        });
        if (batch.commit()) mergePacks(dir);
        return result;
      } finally {
        batch.drop();
      }
    },
  };
}
