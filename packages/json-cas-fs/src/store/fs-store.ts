import { type Hash, isHash, type Store } from "@uncaged/json-cas";
import { AT_ONCE, collectSyncs, type Syncs } from "../files/index.js";
import { hasName, nodeFileExists } from "./bytes.js";
import { listNodes } from "./folder.js";
import { formatGuard } from "./format.js";
import { readIndex } from "./index-lines.js";
import { loadWriter } from "./load.js";
import { readNode } from "./read.js";
import type { FsStore, FsStoreOptions } from "./types.js";

/**
 * A store in a folder, which is made when the first node is written. Opening touches nothing; readers write nothing.
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
    return isHash(hash) && nodeFileExists(dir, hash);
  };
  const putWith =
    (syncs: Syncs): Store["put"] =>
    async (type, payload) => {
      const { putInto } = await loadWriter();
      return putInto({ place: { dir, format, syncs }, get, now: options.now }, type, payload);
    };
  const store: Store = {
    put: putWith(AT_ONCE),
    get,
    has,
    list: () => {
      format.check();
      return listNodes(dir);
    },
    listByType: (type) => {
      format.check();
      return isHash(type)
        ? readIndex(dir, type)
            .filter((hash) => hasName(dir, hash))
            .sort()
        : [];
    },
  };
  return {
    ...store,
    together: async (work) => {
      const syncs = collectSyncs();
      const result = await work({ ...store, put: putWith(syncs) });
      syncs.flush();
      return result;
    },
  };
}
