import { MAX_DEPTH } from "@uncaged/json-schema";
import { isHash } from "../hash.js";
import type { CasNode, JsonValue } from "../node.js";
import { DecodeError, readCanonical } from "./canonical.js";

/** The value that the bytes are the one DAG-CBOR form of, deeply frozen; throws `DecodeError` for any other bytes. */
export function decode(bytes: Uint8Array): JsonValue {
  return readCanonical(bytes, MAX_DEPTH);
}

/** The node in a backend's bytes, deeply frozen; throws `DecodeError`. The hash is not checked here. */
export function decodeNode(bytes: Uint8Array): CasNode {
  const value = readCanonical(bytes, MAX_DEPTH + 1);
  if (value === null || typeof value !== "object") throw new DecodeError("not a node: not an object");
  const node: object = value;
  if (!isNode(node)) throw new DecodeError("not a node: wants exactly type, payload and timestamp");
  return node;
}

// a3 64 type 6d <13 characters> 67 payload <payload> 69 timestamp <integer>: keys are sorted by length, so the payload of
// a node that decoded stands between two parts of known size.
const BEFORE_PAYLOAD = 1 + 5 + 14 + 8;
const TIMESTAMP_KEY = 10;

/** The payload's own DAG-CBOR inside the bytes of a node that `decodeNode` gave. */
export function payloadBytesOf(bytes: Uint8Array, { timestamp }: CasNode): Uint8Array {
  return bytes.subarray(BEFORE_PAYLOAD, bytes.length - TIMESTAMP_KEY - integerSize(timestamp));
}

/** Bytes of a whole number in DAG-CBOR. */
function integerSize(value: number): number {
  if (value < 24) return 1;
  if (value < 2 ** 8) return 2;
  if (value < 2 ** 16) return 3;
  return value < 2 ** 32 ? 5 : 9;
}

/** Epoch ms of the last moment that a date can be: code that shows when a node was put relies on it. */
export const LAST_TIME = 8.64e15;

function isNode(value: object): value is CasNode {
  const { type, timestamp } = value as Record<string, unknown>;
  return (
    Object.keys(value).length === 3 &&
    Object.hasOwn(value, "payload") &&
    isHash(type) &&
    Number.isSafeInteger(timestamp) &&
    Number(timestamp) >= 0 &&
    Number(timestamp) <= LAST_TIME
  );
}
