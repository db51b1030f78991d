import {
  builtInTypes,
  CasError,
  type CasNode,
  DecodeError,
  decodeNode,
  FOREIGN_ROOTS,
  HASH_LENGTH,
  type Hash,
  isHash,
  verifyEncoded,
} from "@uncaged/json-cas";
import { eachEntry } from "../pack/index.js";
import { createHashTable, type HashTable } from "../table.js";
import { readFile, readNodeBytes } from "./bytes.js";
import { looseNodes } from "./folder.js";
import { damaged, packsOf } from "./packed.js";

/** The node under a hash, checked; `null` when there is none; throws `NODE_DAMAGED`, `PACK_DAMAGED` or `IO_FAILED`. */
export function readNode(dir: string, hash: Hash): CasNode | null {
  const found = readNodeBytes(dir, hash);
  return found === null ? null : checked(hash, found.file, found.bytes);
}

/** The same of one file that should hold it. */
export function readNodeIn(hash: Hash, file: string): CasNode | null {
  const bytes = readFile(hash, file);
  return bytes === null ? null : checked(hash, file, bytes);
}

/** The node in these bytes of a file, checked. Throws `NODE_DAMAGED`. */
export function checked(hash: Hash, file: string, bytes: Uint8Array): CasNode {
  const node = decodeOrDamage(bytes, hash, file);
  if (!verifyEncoded(hash, node, bytes)) throw damaged(hash, file, otherHash(hash, node));
  return node;
}

function otherHash(hash: Hash, { type }: CasNode): string {
  if (builtInTypes.has(hash))
    return "its content is not that of the built-in type with this hash, which `verify --repair` writes again";
  if (type !== hash) return "its content has another hash";
  const origin = FOREIGN_ROOTS.get(hash) ?? "another version of json-cas";
  return `it is the type of the schemas of a store that ${origin} has written, which hashes it in its own way`;
}

function decodeOrDamage(bytes: Uint8Array, hash: Hash, file: string): CasNode {
  try {
    return decodeNode(bytes);
  } catch (error) {
    if (error instanceof DecodeError) throw damaged(hash, file, error.message);
    throw error;
  }
}

/** The bytes of a node that is sound; `null` if it is not there, or damaged. */
export function soundBytes(dir: string, hash: Hash): Uint8Array | null {
  try {
    const found = readNodeBytes(dir, hash);
    return found === null || "damage" in nodeIn(hash, found.bytes) ? null : found.bytes;
  } catch (error) {
    if (error instanceof CasError && error.fault.code === "NODE_DAMAGED") return null;
    throw error;
  }
}

/** The node in these bytes, checked, or what is wrong with them, as the end of a sentence. */
export function nodeIn(hash: Hash, bytes: Uint8Array): CasNode | { readonly damage: string } {
  try {
    return checked(hash, "", bytes);
  } catch (error) {
    if (error instanceof CasError && error.fault.code === "NODE_DAMAGED")
      return { damage: error.fault.reason };
    throw error;
  }
}

/** The hashes of all nodes, in no order: of the files first, for what is packed meanwhile is then found in its pack. */
export function hashesNow(dir: string): HashTable {
  const hashes = createHashTable(looseNodes(dir));
  for (const pack of packsOf(dir).packs) eachEntry(pack, (hash) => hashes.add(hash));
  return hashes;
}

/** The type in the bytes of a node, damaged or not (a3 64 type 6d <13 characters> …); `null` if none is there. */
export function typeIn(bytes: Uint8Array): Hash | null {
  const type = Buffer.from(bytes.subarray(7, 7 + HASH_LENGTH)).toString("latin1");
  return isHash(type) ? type : null;
}
