import { fstatSync, readSync } from "node:fs";
import { type Hash, readHash } from "@uncaged/json-cas";
import { guarded } from "../files/index.js";
import {
  FOOTER_LIMIT,
  type Footer,
  LONGEST_NODE,
  MAGIC_LENGTH,
  PACK_MAGIC,
  PACK_TAIL,
  parseFooter,
  RECORD_HEAD,
  SHA_LENGTH,
  sha256,
} from "./format.js";
import { eachEntry, entryAt, indexDamage, type OpenPack, readPackedNode } from "./reader.js";

/** A node in a file of records. */
export type RecordVisit = (hash: Hash, bytes: Buffer, offset: number) => void;

/** What reading a pack from its first byte to its last gives. */
export type ScannedPack = {
  /** `null` if it cannot be told where the nodes end, or what is there is no footer. */
  readonly footer: Footer | null;
  readonly sha256: Buffer;
  /** Bytes. */
  readonly size: number;
  /** What is wrong with its form or its checksum; `null` if nothing is. */
  readonly damage: string | null;
};

const READ = 1024 * 1024;

/**
 * Reads a pack from its first byte to its last, and visits every node in it, unchecked; its bytes are valid until the visit
 * returns. Stops where a record has no sense. Without `checksum` the SHA-256 is taken on trust. System errors are `IO_FAILED`.
 */
export function scanPack(fd: number, file: string, checksum: boolean, visit: RecordVisit): ScannedPack {
  const { size } = guarded("read", file, () => fstatSync(fd));
  const sum = checksum ? sha256() : null;
  const noPack = (damage: string): ScannedPack => ({
    footer: null,
    sha256: Buffer.alloc(SHA_LENGTH),
    size,
    damage,
  });
  if (size < MAGIC_LENGTH + PACK_TAIL) return noPack("it is cut short");
  const tail = readFully(fd, file, Buffer.alloc(PACK_TAIL), size - PACK_TAIL);
  const end = size - PACK_TAIL - tail.readUInt32BE(0);
  if (end < MAGIC_LENGTH || tail.readUInt32BE(0) > FOOTER_LIMIT) return noPack(BAD_END);

  let room = Buffer.allocUnsafeSlow(Math.min(READ, size));
  // `room` has the bytes of the file from `base` on, `filled` of them.
  let [base, filled] = [0, 0];
  /** Where those bytes of the file begin in `room`. */
  const reach = (at: number, length: number): number => {
    if (at + length > base + filled) {
      const kept = base + filled - at;
      const larger = length > room.length ? Buffer.allocUnsafeSlow(length) : room;
      room.copy(larger, 0, at - base, at - base + kept);
      room = larger;
      const more = Math.min(room.length - kept, size - SHA_LENGTH - at - kept);
      const fresh = readFully(fd, file, room.subarray(kept, kept + more), at + kept);
      sum?.update(fresh);
      [base, filled] = [at, kept + more];
    }
    return at - base;
  };
  const need = (at: number, length: number): Buffer => {
    const from = reach(at, length);
    return room.subarray(from, from + length);
  };
  if (need(0, MAGIC_LENGTH).toString("latin1") !== PACK_MAGIC)
    return noPack("it is not a pack of this version");
  let nodes = 0;
  for (let at = MAGIC_LENGTH; at < end; nodes += 1) {
    const noNode = `it has no node at byte ${at}`;
    if (at + RECORD_HEAD > end) return noPack(noNode);
    const from = reach(at, RECORD_HEAD);
    const [hash, length] = [readHash(room, from), room.readUInt32BE(from + 8)];
    at += RECORD_HEAD;
    if (length > LONGEST_NODE || at + length > end) return noPack(noNode);
    visit(hash, need(at, length), at);
    at += length;
  }
  const footer = parseFooter(need(end, size - PACK_TAIL - end).toString("utf8"));
  need(size - PACK_TAIL, 4);
  const digest = sum?.digest() ?? tail.subarray(4);
  if (footer === null || footer.nodes !== nodes)
    return { footer: null, sha256: digest, size, damage: BAD_END };
  const damage = digest.equals(tail.subarray(4)) ? null : "its checksum is wrong";
  return { footer, sha256: digest, size, damage };
}

const BAD_END = "its end is not that of a pack";

function readFully(fd: number, file: string, into: Buffer, at: number): Buffer {
  guarded("read", file, () => {
    for (let done = 0; done < into.length; ) {
      const read = readSync(fd, into, done, into.length - done, at + done);
      if (read === 0)
        throw Object.assign(new Error("EIO: it became shorter while it was read"), { code: "EIO" });
      done += read;
    }
  });
  return into;
}

/** A node of a pack: its bytes, unchecked, or what is wrong with it; `entry`: which one of the index's it is. */
export type PackedVisit = (hash: Hash, content: Buffer | { readonly damage: string }, entry: number) => void;

export type PackWalk = {
  /** What is wrong with the pack, as opposed to its nodes; `null` if nothing is. */
  readonly damage: { readonly file: string; readonly reason: string } | null;
  /** How many of its nodes the index does not name, or elsewhere. */
  readonly missed: number;
};

/**
 * Visits every node that a pack's index names, in the order of the pack, and compares its checksums unless they are taken on
 * trust. Bytes are valid until the visit returns.
 */
export function eachPackedNode(pack: OpenPack, checksum: boolean, visit: PackedVisit): PackWalk {
  // Where the index has its nodes: the numbers of its entries, in the order of the pack.
  const order = new Uint32Array(pack.nodes);
  const [offsets, lengths] = [new Float64Array(pack.nodes), new Uint32Array(pack.nodes)];
  const hashes: Hash[] = [];
  let [before, count, missed] = ["", 0, 0];
  eachEntry(pack, (bytes, at, entry) => {
    const hash = readHash(bytes, at);
    hashes.push(hash);
    const { offset, length } = entryAt(bytes, at);
    offsets[entry] = offset;
    lengths[entry] = length;
    // What is not in the index's own order no reader finds.
    if (hash < before) missed += 1;
    if (hash !== before) order[count++] = entry;
    before = hash;
  });
  const sorted = order.subarray(0, count).sort((left, right) => (offsets[left] ?? 0) - (offsets[right] ?? 0));
  const left: number[] = [];
  let next = 0;
  const scanned = scanPack(pack.fd, pack.file, checksum, (hash, bytes, offset) => {
    for (; (offsets[sorted[next] ?? -1] ?? offset) < offset; next += 1) left.push(sorted[next] ?? 0);
    const entry = sorted[next] ?? -1;
    if (offsets[entry] !== offset || hashes[entry] !== hash || lengths[entry] !== bytes.length) {
      missed += 1;
      return;
    }
    next += 1;
    visit(hash, bytes, entry);
  });
  // Where a record is damaged, what comes after it is found by the index alone.
  for (const entry of [...left, ...sorted.subarray(next)]) {
    const [hash, offset, length] = [hashes[entry] as Hash, offsets[entry] ?? 0, lengths[entry] ?? 0];
    visit(hash, readPackedNode({ pack, offset, length }, hash), entry);
  }
  const inIndex = checksum ? indexDamage(pack) : null;
  if (inIndex !== null) return { damage: { file: pack.indexFile, reason: inIndex }, missed };
  const reason = scanned.damage ?? (missed === 0 ? null : `its index misses ${missed} nodes`);
  return { damage: reason === null ? null : { file: pack.file, reason }, missed };
}
