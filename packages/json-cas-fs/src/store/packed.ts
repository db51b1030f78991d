import { CasError, type Hash, hashBytes } from "@uncaged/json-cas";
import { guarded, isMissing } from "../files/index.js";
import { highOf, lowOf } from "../halves.js";
import { type OpenPack, type PackReader, packDir, packReaderOf } from "../pack/index.js";
import { damaged } from "./damage.js";

// The reader of packs is loaded by the first call of `readerOf`; a store without packs never makes one.

/** `null` if there are no packs: one look, whatever the size of the store, and none once some were found. */
function readerOf(dir: string): PackReader | null {
  if (!knowsPacks(dir) && isMissing(packDir(dir))) return null;
  packed = dir;
  return packReaderOf(dir, hashBytes);
}

/** A process works with one store. */
let packed: string | null = null;

/** Whether this process has found a node of that store in need of its packs: then most nodes may be there. */
export function knowsPacks(dir: string): boolean {
  return packed === dir;
}

/**
 * A packed node, unchecked; `null` if no pack has it. Throws `NODE_DAMAGED`, and `PACK_DAMAGED` if it was not found and a
 * pack cannot say whether it has it.
 */
export function readPacked(
  dir: string,
  hash: Hash,
): { readonly bytes: Uint8Array; readonly file: string } | null {
  return guarded("read", packDir(dir), () => {
    const reader = readerOf(dir);
    const [high, low] = [highOf(hash), lowOf(hash)];
    const place = reader?.find(high, low) ?? null;
    if (reader === null) return null;
    if (place === null) return refuseBroken(reader);
    const found = reader.read(place, high, low);
    if (found.kind === "damaged") throw damaged(hash, found.file, found.reason);
    return found;
  });
}

/** The bytes of a packed node, unchecked; `null` if it cannot be had, for whatever reason. */
export function peekPacked(dir: string, hash: Hash): Uint8Array | null {
  return guarded("read", packDir(dir), () => {
    const reader = readerOf(dir);
    const [high, low] = [highOf(hash), lowOf(hash)];
    const place = reader?.find(high, low) ?? null;
    if (reader === null || place === null) return null;
    const found = reader.read(place, high, low);
    return found.kind === "node" ? found.bytes : null;
  });
}

/** Whether a pack has it; throws `PACK_DAMAGED` as `readPacked` does. */
export function isPacked(dir: string, hash: Hash): boolean {
  return guarded("read", packDir(dir), () => {
    const reader = readerOf(dir);
    if (reader === null) return false;
    return reader.find(highOf(hash), lowOf(hash)) !== null || refuseBroken(reader) !== null;
  });
}

/** Whether a sound pack has the node. A damaged pack counts as not having it: the node is written again. */
export function isFoundInPack(dir: string, hash: Hash): boolean {
  return packWith(dir, hash) !== null;
}

/** The same, of the packs that were there when this process last listed them; without a look at the disk. */
export function isKnownInPack(dir: string, hash: Hash): boolean {
  if (!knowsPacks(dir)) return false;
  return guarded("read", packDir(dir), () => packReaderOf(dir, hashBytes).isKnown(highOf(hash), lowOf(hash)));
}

/** The name of a sound pack that has it. */
export function packWith(dir: string, hash: Hash): string | null {
  return guarded(
    "read",
    packDir(dir),
    () => readerOf(dir)?.find(highOf(hash), lowOf(hash))?.pack.name ?? null,
  );
}

function refuseBroken(reader: PackReader): null {
  const [broken] = reader.broken();
  if (broken === undefined) return null;
  throw new CasError({ code: "PACK_DAMAGED", file: broken.file, reason: broken.reason });
}

/** Called before a store is looked at as a whole: a pack that was damaged while it was open is to be noticed. */
export function forgetPacks(dir: string): void {
  if (knowsPacks(dir)) readerOf(dir)?.forget();
}

/** The packs that there are now, and those that cannot be read. */
export function packsOf(dir: string): Pick<PackReader, "broken" | "read"> & {
  readonly packs: readonly OpenPack[];
} {
  return guarded("read", packDir(dir), () => {
    const reader = readerOf(dir);
    return {
      packs: reader?.packs() ?? [],
      broken: reader?.broken ?? (() => []),
      read: reader?.read ?? noNode,
    };
  });
}

function noNode(): never {
  throw new Error("a node was asked of a store without packs");
}
