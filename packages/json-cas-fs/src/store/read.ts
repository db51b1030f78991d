import { type CasNode, DecodeError, decodeNode, type Hash, verifyEncoded } from "@uncaged/json-cas";
import { damaged, readNodeBytes } from "./bytes.js";
import { fsStoreFile } from "./layout.js";

/** The node under a hash, checked; `null` when there is none; throws `NODE_DAMAGED` or `IO_FAILED`. */
export function readNode(dir: string, hash: Hash): CasNode | null {
  const bytes = readNodeBytes(dir, hash);
  if (bytes === null) return null;
  const file = fsStoreFile(dir, hash);
  const node = decodeOrDamage(bytes, hash, file);
  if (!verifyEncoded(hash, node, bytes)) throw damaged(hash, file, "its content has another hash");
  return node;
}

function decodeOrDamage(bytes: Uint8Array, hash: Hash, file: string): CasNode {
  try {
    return decodeNode(bytes);
  } catch (error) {
    if (error instanceof DecodeError) throw damaged(hash, file, error.message);
    throw error;
  }
}
