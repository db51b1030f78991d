import { encode as cborEncode } from "cborg";
import type { CasNode, JsonValue } from "../node/index.js";
import { copyWithin, freezeCopy, MAX_DEPTH } from "../storable/index.js";

// DAG-CBOR wants every float in 64 bits; cborg writes shorter ones unless told.
const OPTIONS = { float64: true } as const;

/** The one DAG-CBOR form of a JSON value; throws `NOT_STORABLE` for anything else. */
export function encode(value: JsonValue): Uint8Array {
  return encodeCopy(freezeCopy(value));
}

/** `encode` for what `freezeCopy` gave: cborg itself lets `undefined`, NaN, Map and others pass. */
export function encodeCopy(copy: JsonValue): Uint8Array {
  return cborEncode(copy, OPTIONS);
}

/** The bytes of a whole node, as a backend keeps them. */
export function encodeNode(node: CasNode): Uint8Array {
  const { type, payload, timestamp } = node;
  return encodeCopy(copyWithin({ type, payload, timestamp }, MAX_DEPTH + 1));
}

export function sameBytes(left: Uint8Array, right: Uint8Array): boolean {
  if (left.length !== right.length) return false;
  for (let index = 0; index < left.length; index += 1) {
    if (left[index] !== right[index]) return false;
  }
  return true;
}
