import {
  type CasNode,
  DecodeError,
  decodeNode,
  FOREIGN_ROOTS,
  type Hash,
  verifyEncoded,
} from "@uncaged/json-cas";
import { damaged, readAtOnce, readFile, readNodeBytes } from "./bytes.js";
import { fsStoreFile } from "./folder.js";

/** The node under a hash, checked; `null` when there is none; throws `NODE_DAMAGED` or `IO_FAILED`. */
export function readNode(dir: string, hash: Hash): CasNode | null {
  const file = fsStoreFile(dir, hash);
  const node = soundNode(hash, file);
  if (node !== null) return node;
  const bytes = readNodeBytes(dir, hash);
  return bytes === null ? null : checked(hash, file, bytes);
}

/** The same of one file that should hold it. */
export function readNodeIn(hash: Hash, file: string): CasNode | null {
  const bytes = readFile(hash, file);
  return bytes === null ? null : checked(hash, file, bytes);
}

/** A small, intact node, the common case; for anything else `null`, and the slow path finds out what it is. */
function soundNode(hash: Hash, file: string): CasNode | null {
  const bytes = readAtOnce(file);
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
