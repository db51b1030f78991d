import { type CasNode, compareContent, encode, type Hash, type Store } from "@uncaged/json-cas";
import { AT_ONCE, collectSyncs, isMissing } from "../files/index.js";
import { holdPacks, type NewPack, newPack, touchPack } from "../pack/index.js";
import {
  allowPacks,
  announce,
  confirmNode,
  createFsStore,
  findPacked,
  formatGuard,
  fsStoreFile,
  hashesNow,
  mergePacks,
  type NodeFolder,
  orDamage,
  replaceNode,
} from "../store/index.js";

/** A store into which many nodes come at once. */
export type ImportTarget = Pick<Store, "get" | "has"> & {
  /** Whether it was not there, and comes with this import. */
  readonly isNew: (hash: Hash) => boolean;
  /** A node that fits its hash; `read` gives what `bytes` are. Throws `HASH_COLLISION`. */
  readonly take: (hash: Hash, type: Hash, read: () => CasNode, bytes: Uint8Array) => void;
};

// One pack for all that is new, whose lines in the index are durable before it has its name: two flushes and one for each
// type, however many nodes come.

/** Runs `work`, then writes what it took; gives how many nodes were new. The packs are held. */
export async function withTarget(
  dir: string,
  now: () => number,
  work: (target: ImportTarget) => void,
): Promise<{ readonly added: number }> {
  const format = formatGuard(dir);
  format.check();
  format.ensure();
  const done = await holdPacks(dir, () => {
    const store = createFsStore(dir);
    const syncs = collectSyncs();
    const place: NodeFolder = { dir, format, syncs };
    const there = hashesNow(dir);
    const fresh = new Set<Hash>();
    const lines = new Map<Hash, Hash[]>();
    const touched = new Set<string>();
    const packs: NewPack[] = [];
    const add = (hash: Hash, type: Hash, bytes: Uint8Array): void => {
      if (packs.length === 0) packs.push(newPack(dir));
      packs[0]?.add(hash, bytes);
      fresh.add(hash);
      const hashes = lines.get(type);
      if (hashes === undefined) lines.set(type, [hash]);
      else hashes.push(hash);
    };
    const take: ImportTarget["take"] = (hash, type, read, bytes) => {
      if (fresh.has(hash)) return;
      const found = there.has(hash) ? orDamage(() => store.get(hash)) : null;
      if (found === null) {
        add(hash, type, bytes);
        return;
      }
      const node = read();
      if ("damage" in found) replaceNode(place, hash, node);
      else {
        const { payload } = node;
        compareContent({ hash, type, payload, payloadBytes: encode(payload) }, found);
        const name = isMissing(fsStoreFile(dir, hash)) ? (findPacked(dir, hash)?.pack.name ?? null) : null;
        if (name === null) confirmNode(place, now, hash, found);
        else touched.add(name);
      }
    };
    try {
      work({ get: store.get, has: store.has, isNew: (hash) => fresh.has(hash), take });
      for (const name of touched) touchPack(dir, name, now());
      const announced = [...lines].map(([type, hashes]) => announce(dir, type, hashes, AT_ONCE));
      if (packs.length > 0) allowPacks(dir);
      for (const pack of packs) pack.finish();
      for (const { confirm, close } of announced) {
        confirm();
        close();
      }
      syncs.flush();
      return { added: fresh.size };
    } finally {
      for (const pack of packs) pack.drop();
    }
  });
  mergePacks(dir);
  return done;
}
