import type { Hash } from "../node/index.js";
import type { Hasher } from "./hash-bytes.js";

/** Hash of a node from its parts: 13 ASCII bytes of the type, then the payload's DAG-CBOR. */
export function hashNode(hasher: Hasher, type: Hash, payloadBytes: Uint8Array): Hash {
  const bytes = new Uint8Array(type.length + payloadBytes.length);
  for (let index = 0; index < type.length; index += 1) bytes[index] = type.charCodeAt(index);
  bytes.set(payloadBytes, type.length);
  return hasher(bytes);
}
