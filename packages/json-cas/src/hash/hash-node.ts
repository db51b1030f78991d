import type { Hash } from "../node/index.js";
import type { Hasher } from "./xxh64.js";

const ascii = new TextEncoder();

/** Hash of a node from its parts: 13 ASCII bytes of the type, then the payload's DAG-CBOR. */
export function hashNode(hasher: Hasher, type: Hash, payloadBytes: Uint8Array): Hash {
  const prefix = ascii.encode(type);
  const bytes = new Uint8Array(prefix.length + payloadBytes.length);
  bytes.set(prefix);
  bytes.set(payloadBytes, prefix.length);
  return hasher(bytes);
}
