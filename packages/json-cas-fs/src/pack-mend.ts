import { closeSync, openSync } from "node:fs";
import type { Hash } from "@uncaged/json-cas";
import { guarded, isMissing, isTemporaryName, READ_PLAIN, removeIfThere } from "./files/index.js";
import {
  eachPackedNode,
  holdPacks,
  newPack,
  type OpenPack,
  type PackEntry,
  packDir,
  packFile,
  packIndexFile,
  packNameOf,
  removePacks,
  scanPack,
  writePackIndex,
} from "./pack/index.js";
import {
  damageOfFile,
  forgetPacks,
  fsStoreFile,
  inspectBytes,
  nodeIn,
  packsOf,
  readNames,
} from "./store/index.js";

export type MendedPacks = {
  /** Indexes that were made again from their packs. */
  readonly indexes: number;
  /** Packs that were written again, without damaged nodes that are sound elsewhere. */
  readonly rewritten: number;
};

const NOTHING: MendedPacks = { indexes: 0, rewritten: 0 };

/** Makes the indexes of packs again that are missing or damaged; gives how many. Throws `LOCK_BUSY`. */
export async function mendIndexes(dir: string): Promise<number> {
  return isMissing(packDir(dir)) ? 0 : holdPacks(dir, () => mendAll(dir));
}

/** The same, and removes indexes that an interrupted process left, and damaged nodes that are sound elsewhere. */
export async function mendPacks(dir: string): Promise<MendedPacks> {
  if (isMissing(packDir(dir))) return NOTHING;
  return holdPacks(dir, () => {
    const indexes = mendAll(dir);
    const files = readNames(packDir(dir));
    // While another process writes a pack, its index may have its final name already.
    for (const file of files.some(isTemporaryName) ? [] : files) {
      const found = packNameOf(file);
      if (found?.kind === "idx" && isMissing(packFile(dir, found.name)))
        removeIfThere(packIndexFile(dir, found.name));
    }
    forgetPacks(dir);
    const mended = packsOf(dir).packs.map((pack) => mendPack(dir, pack));
    const count = (what: Mended): number => mended.filter((one) => one === what).length;
    return { indexes: indexes + count("index"), rewritten: count("rewritten") };
  });
}

function mendAll(dir: string): number {
  forgetPacks(dir);
  let mended = 0;
  for (const { name } of packsOf(dir).broken()) {
    const isFile = inspectBytes(packFile(dir, name))?.isFile() ?? false;
    if (isFile && mendIndex(dir, name)) mended += 1;
  }
  return mended;
}

/** Whether the pack could be followed from its first node to its last. */
function mendIndex(dir: string, name: string): boolean {
  const file = packFile(dir, name);
  const fd = guarded("read", file, () => openSync(file, READ_PLAIN));
  try {
    const entries: PackEntry[] = [];
    const { sha256, size, footer } = scanPack(fd, file, true, (hash, { length }, offset) =>
      entries.push({ hash, offset, length }),
    );
    if (footer === null) return false;
    writePackIndex(dir, name, { sha256, size, entries });
    return true;
  } finally {
    closeSync(fd);
  }
}

type Mended = "index" | "rewritten" | null;

/** Makes its index again if that misses nodes; writes it again if it is damaged and all of it is sound, in it or in a file. */
function mendPack(dir: string, pack: OpenPack): Mended {
  const kept = newPack(dir);
  let [isDamaged, isLost] = [false, false];
  try {
    const { damage, missed } = eachPackedNode(pack, true, (hash, content) => {
      if (!("damage" in content || "damage" in nodeIn(hash, content))) kept.add(hash, content);
      else if (isSoundFile(dir, hash)) isDamaged = true;
      else isLost = true;
    });
    // Written again, it would lose them.
    if (missed > 0) return mendIndex(dir, pack.name) ? "index" : null;
    if (isLost || (damage === null && !isDamaged)) return null;
    if (kept.nodes() > 0) kept.finish();
    removePacks(dir, [pack.name]);
    return "rewritten";
  } finally {
    kept.drop();
  }
}

function isSoundFile(dir: string, hash: Hash): boolean {
  const file = fsStoreFile(dir, hash);
  return !isMissing(file) && damageOfFile(hash, file) === null;
}
