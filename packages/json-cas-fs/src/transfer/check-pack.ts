import { readSync } from "node:fs";
import { type CasNode, type Hash, META_SCHEMA_HASH } from "@uncaged/json-cas";
import { guarded } from "../files/index.js";
import { hashOfHalves, highAt, lowAt } from "../halves.js";
import { MAGIC_LENGTH, PACK_MAGIC, scanPack } from "../pack/index.js";
import { soundNode } from "../plain.js";
import { NODE_LIMIT } from "../store/index.js";
import { createHashTable } from "../table.js";
import { checkInPlace, nodeOf, rememberTypes } from "./check.js";
import { refuse } from "./format.js";
import type { CheckedExport } from "./types.js";

/** Whether an open file begins like a pack. */
export function isPackFile(fd: number, file: string): boolean {
  const magic = Buffer.alloc(MAGIC_LENGTH);
  guarded("read", file, () => readSync(fd, magic, 0, MAGIC_LENGTH, 0));
  return magic.toString("latin1") === PACK_MAGIC;
}

/**
 * Checks a complete pack: form, checksum, each node's bytes, hash and schema, that each node appears once, and that it
 * comes after what it refers to. Holds 36 bytes per node in memory. Throws `ExportFileError`, or `IO_FAILED`.
 */
export function checkPack(fd: number, file: string, close: () => void): CheckedExport {
  const table = createHashTable();
  const places = growingOffsets();
  const has = (hash: Hash): boolean => table.placeOf(hash) !== -1;
  const hasHalves = (high: number, low: number): boolean => table.placeOfHalves(high, low) !== -1;
  const get = (hash: Hash): CasNode | null => {
    const place = table.placeOf(hash);
    if (place === -1) return null;
    const bytes = Buffer.alloc(places.length(place));
    guarded("read", file, () => readSync(fd, bytes, 0, bytes.length, places.offset(place)));
    return nodeOf(hash, bytes);
  };
  const isTypeBefore = (type: Hash): boolean => type !== META_SCHEMA_HASH && has(type);
  const reader = { get: rememberTypes(get), has };
  const scanned = scanPack(fd, file, { longest: NODE_LIMIT, checksum: true }, (high, low, bytes, offset) => {
    if (hasHalves(high, low)) refuse(null, `node ${hashOfHalves(high, low)} appears twice`);
    const add = (): void => places.set(table.addHalves(high, low), offset, bytes.length);
    // Most are sound, and show it; of a schema more is asked.
    const sound = soundNode(reader, [high, low], bytes, isTypeBefore);
    if (sound?.places.every((at) => hasHalves(highAt(bytes, at), lowAt(bytes, at)))) return add();
    const hash = hashOfHalves(high, low);
    checkInPlace(reader, hash, nodeOf(hash, bytes), add);
  });
  const { footer, damage } = scanned;
  if (footer === null || damage !== null) return refuse(null, damage ?? "its end is not that of a pack");
  const absent = footer.roots.find((root) => !has(root));
  if (absent !== undefined) refuse(null, `its root ${absent} is not in it`);
  const digest = scanned.sum.sha256;
  const each: CheckedExport["each"] = (visit) => {
    const again = scanPack(fd, file, { longest: NODE_LIMIT, checksum: true }, (high, low, bytes) =>
      visit(hashOfHalves(high, low), bytes),
    );
    if (!again.isWhole || !again.sum.sha256.equals(digest)) refuse(null, "it was changed while it was read");
  };
  const { nodes, roots, entries } = footer;
  return { roots, entries, nodes, sha256: digest.toString("hex"), hashes: table, get, each, close };
}

function growingOffsets() {
  let [offsets, lengths] = [new Float64Array(1024), new Uint32Array(1024)];
  return {
    set: (place: number, offset: number, length: number): void => {
      if (place >= offsets.length) {
        const [more, longer] = [new Float64Array(offsets.length * 2), new Uint32Array(offsets.length * 2)];
        more.set(offsets);
        longer.set(lengths);
        [offsets, lengths] = [more, longer];
      }
      offsets[place] = offset;
      lengths[place] = length;
    },
    offset: (place: number): number => offsets[place] ?? 0,
    length: (place: number): number => lengths[place] ?? 0,
  };
}
