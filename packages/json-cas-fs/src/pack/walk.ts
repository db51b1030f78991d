import { createHashTable, type GrowingTable } from "../table.js";
import { eachEntry, indexDamage, type OpenPack, type PackReader, type Seal } from "./reader.js";
import { scanPack } from "./scan.js";

/** A node of a pack, by halves of its hash: its bytes, unchecked, or why there are none. */
export type PackedVisit = (high: number, low: number, content: Buffer | { readonly reason: string }) => void;

export type PackWalk = {
  /** What is wrong with the pack, as opposed to its nodes; `null` if nothing is. */
  readonly damage: { readonly file: string; readonly reason: string } | null;
};

type Index = { readonly table: GrowingTable; readonly offsets: Float64Array; readonly lengths: Uint32Array };

function loadEntries(pack: OpenPack): Index {
  const table = createHashTable(pack.nodes);
  const [offsets, lengths] = [new Float64Array(pack.nodes), new Uint32Array(pack.nodes)];
  eachEntry(pack, (high, low, offset, length) => {
    const place = table.addHalves(high, low);
    offsets[place] = offset;
    lengths[place] = length;
  });
  return { table, offsets, lengths };
}

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
  const { table, offsets, lengths } = loadEntries(pack);
  const seen = new Uint8Array(table.size());
  let [visited, strangers] = [0, 0];
  const scanned = scanPack(
    pack.fd,
    pack.file,
    { longest, checksum: seal !== null },
    (high, low, bytes, offset) => {
      const place = table.placeOfHalves(high, low);
      if (place === -1 || offsets[place] !== offset || lengths[place] !== bytes.length) {
        strangers += 1;
        return;
      }
      if (seen[place] === 0) visited += 1;
      seen[place] = 1;
      visit(high, low, bytes);
    },
  );
  // Where a record is damaged, what comes after it is found by the index alone.
  if (visited < table.size())
    eachEntry(pack, (high, low, offset, length) => {
      const place = table.placeOfHalves(high, low);
      if (place === -1 || seen[place] === 1) return;
      seen[place] = 1;
      const found = read({ pack, offset, length }, high, low);
      visit(high, low, found.kind === "node" ? Buffer.from(found.bytes) : found);
    });
  const inIndex = seal === null ? null : indexDamage(pack, seal);
  if (inIndex !== null) return { damage: { file: pack.indexFile, reason: inIndex } };
  const reason = scanned.damage ?? (strangers === 0 ? null : `its index misses ${strangers} nodes`);
  return { damage: reason === null ? null : { file: pack.file, reason } };
}
