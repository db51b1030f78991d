import { fstatSync, readSync } from "node:fs";
import { type Hash, readHash } from "@uncaged/json-cas";
import { guarded } from "../files/index.js";
import {
  FOOTER_LIMIT,
  type Footer,
  MAGIC_LENGTH,
  PACK_MAGIC,
  PACK_TAIL,
  parseFooter,
  RECORD_HEAD,
  SHA_LENGTH,
  sha256,
} from "./format.js";

/** A node in a file of records. */
export type RecordVisit = (hash: Hash, bytes: Buffer, offset: number) => void;

/** What reading a pack from its first byte to its last gives. */
export type ScannedPack = {
  /** `null` if it cannot be told where the nodes end, or what is there is no footer. */
  readonly footer: Footer | null;
  readonly sha256: Buffer;
  /** Bytes. */
  readonly size: number;
  /** Whether the checksum at its end is right. */
  readonly isWhole: boolean;
  /** What is wrong with its form; `null` if nothing is. */
  readonly damage: string | null;
};

const READ = 1024 * 1024;

/**
 * Reads a pack from its first byte to its last, and visits every node in it, unchecked; its bytes are valid until the visit
 * returns. Stops where a record has no sense. `longest` bounds a node; without `checksum` the SHA-256 is taken on trust.
 * System errors are `IO_FAILED`.
 */
export function scanPack(
  fd: number,
  file: string,
  { longest, checksum }: { readonly longest: number; readonly checksum: boolean },
  visit: RecordVisit,
): ScannedPack {
  const { size } = guarded("read", file, () => fstatSync(fd));
  const sum = checksum ? sha256() : null;
  let nodes = 0;
  const result = (
    damage: string | null,
    footer: Footer | null,
    digest: Buffer,
    isWhole: boolean,
  ): ScannedPack => ({
    footer,
    sha256: digest,
    size,
    isWhole,
    damage,
  });
  const none = Buffer.alloc(SHA_LENGTH);
  if (size < MAGIC_LENGTH + PACK_TAIL) return result("it is cut short", null, none, false);
  const tail = readFully(fd, file, Buffer.alloc(PACK_TAIL), size - PACK_TAIL);
  const end = size - PACK_TAIL - tail.readUInt32BE(0);
  if (end < MAGIC_LENGTH || tail.readUInt32BE(0) > FOOTER_LIMIT)
    return result("its end is not that of a pack", null, none, false);

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
    return result("it is not a pack of this version", null, none, false);
  let at = MAGIC_LENGTH;
  while (at < end) {
    if (at + RECORD_HEAD > end) return result(`it has no node at byte ${at}`, null, none, false);
    const from = reach(at, RECORD_HEAD);
    const [hash, length] = [readHash(room, from), room.readUInt32BE(from + 8)];
    at += RECORD_HEAD;
    if (length > longest || at + length > end)
      return result(`it has no node at byte ${at - RECORD_HEAD}`, null, none, false);
    nodes += 1;
    visit(hash, need(at, length), at);
    at += length;
  }
  const footer = parseFooter(need(end, size - PACK_TAIL - end).toString("utf8"));
  need(size - PACK_TAIL, 4);
  const digest = sum?.digest() ?? tail.subarray(4);
  const isWhole = digest.equals(tail.subarray(4));
  if (footer === null || footer.nodes !== nodes)
    return result("its end is not that of a pack", null, digest, isWhole);
  return result(isWhole ? null : "its checksum is wrong", footer, digest, isWhole);
}

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
