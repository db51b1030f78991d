import { closeSync, fstatSync, readSync } from "node:fs";
import type { Hash } from "@uncaged/json-cas";
import {
  AT_ONCE,
  errnoOf,
  guarded,
  isNotRegular,
  makeDir,
  openRegular,
  refuseLink,
  replaceFile,
} from "../files/index.js";
import { mendIndexes } from "../pack-mend.js";
import {
  announce,
  eachNode,
  forgetPacks,
  formatGuard,
  INDEX_LIMIT,
  indexDir,
  indexFile,
  listTypes,
  nodeIn,
  orDamage,
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
      announce(dir, type, [hash], AT_ONCE).close();
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
