import { join } from "node:path";
import { type Hash, isHash, isObject, type JsonObject, type JsonValue } from "@uncaged/json-cas";

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

/** The first bits of a hash, given as its bytes. */
export function bucketOf(key: Uint8Array, bits: number): number {
  return bits === 0 ? 0 : Buffer.from(key).readUInt32BE() >>> (32 - bits);
}

/** A running SHA-256. Loaded where it is needed: node:crypto costs bun 6 ms. */
export function sha256() {
  return process.getBuiltinModule("node:crypto").createHash("sha256");
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

/** What a pack says of itself at its end. */
export type Footer = {
  readonly nodes: number;
  /** What the program that wrote an export adds; empty in a store. */
  readonly entries: readonly JsonObject[];
  /** What an export was made of; empty in a store. */
  readonly roots: readonly Hash[];
};

/** Bytes of a footer. */
export const FOOTER_LIMIT = 8 * 1024 * 1024;

export function footerText({ nodes, entries, roots }: Footer): string {
  return JSON.stringify({ nodes, entries, roots });
}

/** `null` for anything but the one form of a footer. */
export function parseFooter(text: string): Footer | null {
  const value = parsed(text);
  if (!isObject(value)) return null;
  const { nodes, entries, roots } = value;
  if (!Number.isSafeInteger(nodes) || !Array.isArray(entries) || !Array.isArray(roots)) return null;
  if (!entries.every(isObject) || !roots.every(isHash)) return null;
  const footer = { nodes: Number(nodes), entries, roots };
  return footerText(footer) === text ? footer : null;
}

function parsed(text: string): JsonValue {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return null;
  }
}
