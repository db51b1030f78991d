import { type Hash, isHash } from "@uncaged/json-cas";
import { AT_ONCE } from "../files/index.js";
import { openBatch } from "./batch.js";
import { formatGuard } from "./format.js";
import { readIndex } from "./index-lines.js";
import { hashesNow } from "./inventory.js";
import { mergePacks } from "./pack.js";
import { lacksNode, nodeExists, probablyLacksNode, readNode } from "./read.js";
import type { FsStore, FsStoreOptions } from "./types.js";
import { putInto } from "./write.js";

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
