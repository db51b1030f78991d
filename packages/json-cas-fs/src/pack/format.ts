import { join } from "node:path";

// <dir>/pack/<NAME>.pack    nodes, one after the other:
//
//   16  json-cas-pack 1⏎     magic and version
//       8 hash · 4 length · node      for each node, after its type and what it refers to; numbers are big-endian
//       footer               JSON: {"nodes":…,"entries":[…],"roots":[…]}; the last two are empty in a store
//    4  length of the footer
//   32  SHA-256 of every byte before
//
// <dir>/pack/<NAME>.idx     where each node is:
//
//   16  json-cas-index 1     magic and version
//   32  the pack's SHA-256
//    8  bytes of the pack
//    4  number of nodes · 4  b, the bits that the fan-out looks at
//    4  × (2^b + 1)          at i: how many hashes have first bits below i
//   20  × nodes              8 hash · 8 offset of the node in the pack · 4 its length; sorted by hash
//   13  XXH64 of every byte before, written like a hash
//
// NAME is a number of 64 bits, written like a hash, that no other pack has had. A pack is there when its `.pack` has its name; the `.idx`
// gets its own name before and loses it after.

export const PACK_MAGIC = "json-cas-pack 1\n";
export const INDEX_MAGIC = "json-cas-index 1";
export const MAGIC_LENGTH = 16;

export const SHA_LENGTH = 32;
/** The hash and the length before a node. */
export const RECORD_HEAD = 12;
/** The length of the footer, and the checksum. */
export const PACK_TAIL = 4 + SHA_LENGTH;
/** Where a pack's size stands in its index. */
export const SIZE_AT = MAGIC_LENGTH + SHA_LENGTH;
export const INDEX_HEAD = SIZE_AT + 8 + 4 + 4;
export const ENTRY_LENGTH = 20;
export const SEAL_LENGTH = 13;

/** The size of an index of `nodes` nodes, in bytes. */
export function indexLength(nodes: number, bits: number): number {
  return entriesAt(bits) + nodes * ENTRY_LENGTH + SEAL_LENGTH;
}

/** Where the entries begin. */
export function entriesAt(bits: number): number {
  return INDEX_HEAD + (2 ** bits + 1) * 4;
}

/** The fan-out leaves up to 32 hashes to be looked at, which are one small read. */
export function fanOutBits(nodes: number): number {
  let bits = 0;
  while (bits < MOST_BITS && nodes / 2 ** bits > 32) bits += 1;
  return bits;
}

export const MOST_BITS = 20;

/** Bytes of a node; of more nothing is read, whatever an index says. */
export const LONGEST_NODE: number = 32 * 1024 * 1024;

/** Entries that are read at once; hashes are distributed evenly, so an index in which one bucket has more lies. */
export const LARGEST_BUCKET = 1_000_000;

/** The first bits of a hash. */
export function bucketOf(high: number, bits: number): number {
  return bits === 0 ? 0 : high >>> (32 - bits);
}

/** The number of 32 bits at some byte; on Node.js 20 `readUInt32BE` takes twice as long. */
export function numberAt(bytes: Uint8Array, at: number): number {
  const high = ((bytes[at] ?? 0) << 8) | (bytes[at + 1] ?? 0);
  return ((high << 16) | ((bytes[at + 2] ?? 0) << 8) | (bytes[at + 3] ?? 0)) >>> 0;
}

export function packDir(dir: string): string {
  return join(dir, "pack");
}

export function packFile(dir: string, name: string): string {
  return join(dir, "pack", `${name}.pack`);
}

export function packIndexFile(dir: string, name: string): string {
  return join(dir, "pack", `${name}.idx`);
}

const PACK_NAME = /^([0-9A-F][0-9A-HJKMNP-TV-Z]{12})\.(pack|idx)$/;

/** The name of a pack from that of one of its files; `null` for any other file. */
export function packNameOf(file: string): { readonly name: string; readonly kind: "pack" | "idx" } | null {
  const [, name, kind] = PACK_NAME.exec(file) ?? [];
  return name === undefined ? null : { name, kind: kind === "pack" ? "pack" : "idx" };
}
