import { ENTRY_LENGTH, entriesAt, numberAt } from "./format.js";
import {
  eachEntry,
  entryIn,
  indexDamage,
  type OpenPack,
  type PackReader,
  readIndex,
  type Seal,
} from "./reader.js";
import { scanPack } from "./scan.js";

/** A node of a pack, by halves of its hash: its bytes, unchecked, or why there are none. */
export type PackedVisit = (high: number, low: number, content: Buffer | { readonly reason: string }) => void;

export type PackWalk = {
  /** What is wrong with the pack, as opposed to its nodes; `null` if nothing is. */
  readonly damage: { readonly file: string; readonly reason: string } | null;
  /** How many of its nodes the index does not name, or elsewhere. */
  readonly missed: number;
};

/**
 * Visits every node that a pack's index names, in the order of the pack. `checksum`: whether the SHA-256 and the index's
 * checksum are compared. Bytes are valid until the visit returns.
 */
export function eachPackedNode(
  pack: OpenPack,
  {
    longest,
    seal,
    read,
  }: {
    readonly longest: number;
    /** `null`: checksums are taken on trust. */
    readonly seal: Seal | null;
    readonly read: PackReader["read"];
  },
  visit: PackedVisit,
): PackWalk {
  const index = readIndex(pack);
  // The reader is a bundle of its own, of which each use of a name asks again.
  const find = entryIn;
  const first = entriesAt(pack.bits);
  // By the number of its entry, which is found in the index as it is.
  const seen = new Uint8Array(pack.nodes);
  let [visited, missed] = [0, 0];
  const scanned = scanPack(
    pack.fd,
    pack.file,
    { longest, checksum: seal !== null },
    (high, low, bytes, offset) => {
      const at = index === null ? -1 : find(index, pack, high, low);
      if (index === null || at === -1 || !leadsTo(index, at, offset, bytes.length)) {
        missed += 1;
        return;
      }
      const entry = (at - first) / ENTRY_LENGTH;
      if (seen[entry] === 0) visited += 1;
      seen[entry] = 1;
      visit(high, low, bytes);
    },
  );
  // Where a record is damaged, what comes after it is found by the index alone.
  if (index !== null && visited < pack.nodes) {
    let entry = -1;
    eachEntry(pack, (high, low, offset, length) => {
      entry += 1;
      const at = find(index, pack, high, low);
      // One that names a node twice is not right; the node is visited once.
      const isTwice = at !== -1 && at !== first + entry * ENTRY_LENGTH;
      if (seen[entry] === 1 || isTwice) return;
      const found = read({ pack, offset, length }, high, low);
      visit(high, low, found.kind === "node" ? Buffer.from(found.bytes) : found);
    });
  }
  const inIndex = seal === null ? null : indexDamage(pack, seal);
  if (inIndex !== null) return { damage: { file: pack.indexFile, reason: inIndex }, missed };
  const reason = scanned.damage ?? (missed === 0 ? null : `its index misses ${missed} nodes`);
  return { damage: reason === null ? null : { file: pack.file, reason }, missed };
}

/** Whether an entry says that its node begins at this byte of the pack, and has this length. */
function leadsTo(index: Buffer, at: number, offset: number, length: number): boolean {
  return (
    numberAt(index, at + 12) === offset % 2 ** 32 &&
    numberAt(index, at + 16) === length &&
    numberAt(index, at + 8) === Math.floor(offset / 2 ** 32)
  );
}
