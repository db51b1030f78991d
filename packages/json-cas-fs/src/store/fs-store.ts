import { decode, getSchema, type Hash, isHash } from "@uncaged/json-cas";
import { AT_ONCE } from "../files/index.js";
import { hashOfHalves, highAt, highOf, lowAt, lowOf } from "../halves.js";
import { soundNode } from "../plain.js";
import { hasName, lacksNode, nodeExists, probablyLacksNode } from "./bytes.js";

import { formatGuard } from "./format.js";
import { readIndex } from "./index-lines.js";
import { listNodes } from "./list.js";
import { peekBytes, readNode } from "./read.js";
import type { FsStore, FsStoreOptions } from "./types.js";

/** The one lazy import of this package: writing needs the schema validator, 5 ms that a process that only reads saves. */
function loadWriter(): Promise<typeof import("./writer.js")> {
  return import("./writer.js");
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
    return listNodes(dir);
  };
  const listByType = (type: Hash): readonly Hash[] => {
    format.check();
    return isHash(type)
      ? readIndex(dir, type)
          .filter((hash) => hasName(dir, hash))
          .sort()
      : [];
  };
  const schemas = new Set<Hash>();
  const isSchema = (type: Hash): boolean => {
    if (!schemas.has(type) && getSchema({ get }, type) !== null) schemas.add(type);
    return schemas.has(type);
  };
  return {
    sound: (hash) => {
      format.check();
      const peeked = isHash(hash) ? peekBytes(dir, hash) : null;
      if (peeked === null) return null;
      // The type may have to be read, into the same room.
      const bytes = Buffer.from(peeked);
      const found = soundNode({ get }, [highOf(hash), lowOf(hash)], bytes, isSchema);
      if (found === null) return null;
      const { type, places, start, end } = found;
      const references = new Set(places.map((at) => hashOfHalves(highAt(bytes, at), lowAt(bytes, at))));
      return { type, references: [...references], payload: () => decode(bytes.subarray(start, end)) };
    },
    put: async (type, payload) => {
      const { putInto } = await loadWriter();
      return putInto({ place: { dir, format, syncs: AT_ONCE }, get, lacks, now }, type, payload);
    },
    get,
    has,
    list,
    listByType,
    together: async (work) => {
      const { mergePacks, openBatch } = await loadWriter();
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
