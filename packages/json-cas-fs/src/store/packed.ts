import { CasError, type Hash } from "@uncaged/json-cas";
import { guarded, isMissing } from "../files/index.js";
import {
  type OpenPack,
  type PackLocation,
  type PackReader,
  packDir,
  packReaderOf,
  readPackedNode,
} from "../pack/index.js";

export function damaged(hash: Hash, file: string, reason: string): CasError {
  return new CasError({ code: "NODE_DAMAGED", hash, file, reason });
}

/** Runs `action` with the reader of packs; `otherwise` if there are none: one look, whatever the size of the store. */
function withReader<T>(dir: string, otherwise: T, action: (reader: PackReader) => T): T {
  if (isMissing(packDir(dir))) return otherwise;
  return guarded("read", packDir(dir), () => action(packReaderOf(dir)));
}

/** A packed node, unchecked; `null` if no sound pack has it. Throws `NODE_DAMAGED`. */
export function readPacked(
  dir: string,
  hash: Hash,
): { readonly bytes: Uint8Array; readonly file: string } | null {
  return withReader(dir, null, (reader) => {
    const place = reader.find(hash);
    if (place === null) return null;
    const found = readPackedNode(place, hash);
    if (found.kind === "damaged") throw damaged(hash, found.file, found.reason);
    return found;
  });
}

/** Where a sound pack has the node. A damaged pack counts as not having it. */
export function findPacked(dir: string, hash: Hash): PackLocation | null {
  return withReader(dir, null, (reader) => reader.find(hash));
}

/** Whether one of the packs has it that were there when this process last listed them. */
export function isKnownInPack(dir: string, hash: Hash): boolean {
  return withReader(dir, false, (reader) => reader.isKnown(hash));
}

/** Throws `PACK_DAMAGED` if a pack cannot say which nodes it has. Called before one that was not found counts as missing. */
export function refuseBrokenPacks(dir: string): void {
  const [broken] = packsOf(dir).broken();
  if (broken === undefined) return;
  throw new CasError({ code: "PACK_DAMAGED", file: broken.file, reason: broken.reason });
}

/** Called before a store is looked at as a whole: a pack that was damaged while it was open is to be noticed. */
export function forgetPacks(dir: string): void {
  withReader(dir, undefined, (reader) => reader.forget());
}

/** The packs that there are now, and those that cannot be read. */
export function packsOf(dir: string): Pick<PackReader, "broken"> & { readonly packs: readonly OpenPack[] } {
  const none = { packs: [], broken: () => [] };
  return withReader(dir, none, (reader) => ({ packs: reader.packs(), broken: reader.broken }));
}
