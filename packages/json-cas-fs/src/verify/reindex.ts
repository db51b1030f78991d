import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import type { Hash } from "@uncaged/json-cas";
import {
  AT_ONCE,
  errnoOf,
  guarded,
  isMissing,
  isNotRegular,
  isTemporaryName,
  makeDir,
  openRegular,
  READ_PLAIN,
  readNames,
  refuseLink,
  removeIfThere,
  replaceFile,
} from "../files/index.js";
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
} from "../pack/index.js";
import {
  announce,
  damageOfFile,
  eachNode,
  forgetPacks,
  formatGuard,
  fsStoreFile,
  INDEX_LIMIT,
  indexDir,
  indexFile,
  inspectBytes,
  listTypes,
  nodeIn,
  orDamage,
  packsOf,
  parseIndex,
  readNode,
  refuseBrokenPacks,
  takeInventory,
} from "../store/index.js";

// Others may write in the meantime. A line that is added to the old file after it was read is carried over
// below; a line that comes even later is written again by its writer, who sees that the file was replaced
// (`announce`).

export type ReindexFigures = {
  readonly nodes: number;
  readonly types: number;
  /** Lines that were missing. */
  readonly added: number;
  /** Lines that were torn, doubled, of another type or led nowhere. */
  readonly removed: number;
  /** Nodes that cannot be read and so are in no index. */
  readonly damaged: number;
  /** Indexes of packs that were made again. */
  readonly packIndexes: number;
};

/**
 * Rebuilds `_index/` from the nodes, and the indexes of packs that are missing or damaged from their packs. Holds one hash
 * per node in memory. Throws `IO_FAILED`, `LOCK_BUSY` if another process packs; or, before a line is changed, `UNSUPPORTED_FORMAT`
 * and `PACK_DAMAGED`.
 */
export async function reindexStore(dir: string): Promise<ReindexFigures> {
  formatGuard(dir).check();
  refuseLink(indexDir(dir));
  const packIndexes = await mendIndexes(dir);
  forgetPacks(dir);
  refuseBrokenPacks(dir);
  const figures = { nodes: 0, types: 0, added: 0, removed: 0, damaged: 0, packIndexes };
  const byType = new Map<Hash, Hash[]>(listTypes(dir).map((type) => [type, []]));
  eachNode(dir, takeInventory(dir), false, (_place, hash, content) => {
    if (content === null) return;
    const node = nodeIn(hash, content);
    if ("damage" in node) figures.damaged += 1;
    else if (byType.get(node.type)?.push(hash) === undefined) byType.set(node.type, [hash]);
  });
  if (byType.size > 0) makeDir(indexDir(dir));
  for (const [type, hashes] of byType) {
    const change = rebuild(dir, type, hashes.sort());
    figures.nodes += hashes.length;
    figures.types += hashes.length > 0 ? 1 : 0;
    figures.added += change.added;
    figures.removed += change.removed;
  }
  return figures;
}

/** Replaces one index: the lines that hold stay in their order, missing ones follow. */
function rebuild(dir: string, type: Hash, hashes: readonly Hash[]) {
  return rewriteIndex(dir, type, (lines) => {
    const wanted = new Set(hashes);
    const kept = lines.filter((hash) => wanted.delete(hash));
    return { kept, missing: [...wanted] };
  });
}

/** Removes lines from one index; returns how many. Throws `IO_FAILED` before anything is written through a link. */
export function pruneIndex(dir: string, type: Hash, isGone: (hash: Hash) => boolean): number {
  refuseLink(indexDir(dir));
  return rewriteIndex(dir, type, (lines) => ({ kept: lines.filter((hash) => !isGone(hash)), missing: [] }))
    .removed;
}

/** Bits of a file mode that chmod takes. */
const PERMISSIONS = 0o7777;

type Selection = { readonly kept: readonly Hash[]; readonly missing: readonly Hash[] };

function rewriteIndex(dir: string, type: Hash, select: (lines: readonly Hash[]) => Selection) {
  const file = indexFile(dir, type);
  const old = openIndex(file);
  try {
    const text = old.read();
    const lines = parseIndex(text);
    const { kept, missing } = select(lines);
    const removed = text.split("\n").filter((line) => line !== "").length - kept.length;
    if (missing.length > 0 || removed > 0 || old.isTooLarge) {
      // Never through a link, which may lead out of the store: it is replaced itself.
      replaceFile(file, [...kept, ...missing, ""].join("\n"), old.mode);
      const isKept = new Set(kept);
      const dropped = lines.filter((hash) => !isKept.has(hash));
      carryOver(dir, type, [...dropped, ...parseIndex(old.read())]);
    }
    return { added: missing.length, removed };
  } finally {
    old.close();
  }
}

/** Lines that were added in the meantime, and dropped ones whose node appeared in the meantime. */
function carryOver(dir: string, type: Hash, hashes: readonly Hash[]): void {
  for (const hash of hashes) {
    const node = orDamage(() => readNode(dir, hash));
    if (node !== null && !("damage" in node) && node.type === type)
      announce(dir, [[hash, type]], AT_ONCE).close();
  }
}

/**
 * An index that stays readable after it was replaced; every `read` returns what is new since the last one.
 * Anything but a regular file has no lines.
 */
function openIndex(file: string) {
  const fd = guarded("read", file, () => openOrNull(file));
  const mode = fd === null ? null : fstatSync(fd).mode & PERMISSIONS;
  // Not an index written by this program: it is rebuilt from the nodes alone.
  const isTooLarge = fd !== null && fstatSync(fd).size > INDEX_LIMIT;
  let offset = isTooLarge && fd !== null ? fstatSync(fd).size : 0;
  const read = (): string => {
    if (fd === null) return "";
    const size = fstatSync(fd).size - offset;
    const bytes = Buffer.alloc(size);
    const length = readSync(fd, bytes, 0, bytes.length, offset);
    offset += length;
    return bytes.toString("utf8", 0, length);
  };
  const close = (): void => {
    if (fd !== null) closeSync(fd);
  };
  return { mode, isTooLarge, read: () => guarded("read", file, read), close };
}

function openOrNull(file: string): number | null {
  try {
    return openRegular(file, "refused");
  } catch (error) {
    if (errnoOf(error) === "ENOENT" || isNotRegular(error)) return null;
    throw error;
  }
}

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
