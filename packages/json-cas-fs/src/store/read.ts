import {
  builtInTypes,
  CasError,
  type CasNode,
  DecodeError,
  decodeNode,
  FOREIGN_ROOTS,
  type Hash,
  verifyEncoded,
} from "@uncaged/json-cas";
import { isMissing } from "../files/index.js";
import { readAtOnce, readFile, readNodeBytes } from "./bytes.js";
import { damaged } from "./damage.js";
import { fsStoreFile } from "./folder.js";
import { knowsPacks, peekPacked, readPacked } from "./packed.js";

/** The node under a hash, checked; `null` when there is none; throws `NODE_DAMAGED` or `IO_FAILED`. */
export function readNode(dir: string, hash: Hash): CasNode | null {
  const file = fsStoreFile(dir, hash);
  const node = soundNode(hash, peekBytes(dir, hash));
  if (node !== null) return node;
  const bytes = readNodeBytes(dir, hash);
  if (bytes !== null) return checked(hash, file, bytes);
  const packed = readPacked(dir, hash);
  return packed === null ? null : checked(hash, packed.file, packed.bytes);
}

/**
 * The bytes of a node, unchecked and valid until the next call; `null` for one that is missing, or not there as most nodes are:
 * a careful reader says which.
 */
export function peekBytes(dir: string, hash: Hash): Uint8Array | null {
  const file = fsStoreFile(dir, hash);
  // An exception for each packed node, of a file that cannot be opened, would take longer than to read it.
  const isLoose = !knowsPacks(dir) || !isMissing(file);
  return isLoose ? readAtOnce(file) : peekPacked(dir, hash);
}

/** The same of one file that should hold it. */
export function readNodeIn(hash: Hash, file: string): CasNode | null {
  const bytes = readFile(hash, file);
  return bytes === null ? null : checked(hash, file, bytes);
}

/** An intact node, the common case; for anything else `null`, and the slow path finds out what it is. */
function soundNode(hash: Hash, bytes: Uint8Array | null): CasNode | null {
  if (bytes === null) return null;
  try {
    const node = decodeNode(bytes);
    return verifyEncoded(hash, node, bytes) ? node : null;
  } catch (error) {
    if (error instanceof DecodeError) return null;
    throw error;
  }
}

function checked(hash: Hash, file: string, bytes: Uint8Array): CasNode {
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
    const bytes = readNodeBytes(dir, hash) ?? readPacked(dir, hash)?.bytes ?? null;
    if (bytes !== null) checked(hash, fsStoreFile(dir, hash), bytes);
    return bytes;
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
