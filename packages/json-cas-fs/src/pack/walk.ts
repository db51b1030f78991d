import type { Hash } from "@uncaged/json-cas";
import { eachEntry, indexDamage, type OpenPack, readPackedNode } from "./reader.js";
import { scanPack } from "./scan.js";
import type { PackEntry } from "./write.js";

/** A node of a pack: its bytes, unchecked, or why there are none. */
export type PackedVisit = (hash: Hash, content: Buffer | { readonly reason: string }) => void;

export type PackWalk = {
  /** What is wrong with the pack, as opposed to its nodes; `null` if nothing is. */
  readonly damage: { readonly file: string; readonly reason: string } | null;
  /** How many of its nodes the index does not name, or elsewhere. */
  readonly missed: number;
};

/**
 * Visits every node that a pack's index names, in the order of the pack, and compares its checksums unless they are taken on
 * trust. `longest` bounds a node. Bytes are valid until the visit returns.
 */
export function eachPackedNode(
  pack: OpenPack,
  { longest, checksum }: { readonly longest: number; readonly checksum: boolean },
  visit: PackedVisit,
): PackWalk {
  // Where the index has its nodes, in the order of the pack.
  const entries: PackEntry[] = [];
  let [before, next, missed] = ["", 0, 0];
  eachEntry(pack, (hash, offset, length) => {
    if (hash !== before) entries.push({ hash, offset, length });
    // What is not in the index's own order no reader finds.
    if (hash < before) missed += 1;
    before = hash;
  });
  entries.sort((left, right) => left.offset - right.offset);
  const left: PackEntry[] = [];
  const scanned = scanPack(pack.fd, pack.file, { longest, checksum }, (hash, bytes, offset) => {
    for (; (entries[next]?.offset ?? offset) < offset; next += 1) left.push(entries[next] as PackEntry);
    const entry = entries[next];
    if (entry?.offset !== offset || entry.hash !== hash || entry.length !== bytes.length) {
      missed += 1;
      return;
    }
    next += 1;
    visit(entry.hash, bytes);
  });
  // Where a record is damaged, what comes after it is found by the index alone.
  for (const entry of [...left, ...entries.slice(next)]) {
    const found = readPackedNode({ pack, ...entry }, entry.hash);
    visit(entry.hash, found.kind === "node" ? Buffer.from(found.bytes) : found);
  }
  const inIndex = checksum ? indexDamage(pack) : null;
  if (inIndex !== null) return { damage: { file: pack.indexFile, reason: inIndex }, missed };
  const reason = scanned.damage ?? (missed === 0 ? null : `its index misses ${missed} nodes`);
  return { damage: reason === null ? null : { file: pack.file, reason }, missed };
}
