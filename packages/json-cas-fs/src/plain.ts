import {
  HASH_LENGTH,
  type Hash,
  hashBytes,
  isHash,
  META_SCHEMA_HASH,
  type Reader,
  refsIfSound,
} from "@uncaged/json-cas";

// Where type and payload are in the bytes of most nodes, without decoding them.

export type PlainNode = { readonly type: Hash; readonly start: number; readonly end: number };

// a3 64 type 6d <13 characters> 67 payload <payload> 69 timestamp 1b <8 bytes>
const HEAD = Buffer.from("\xa3\x64type\x6d", "latin1");
const BEFORE_PAYLOAD = Buffer.from("\x67payload", "latin1");
const TAIL = Buffer.from("\x69timestamp\x1b", "latin1");
const TYPE_END = HEAD.length + HASH_LENGTH;
const PAYLOAD_AT = TYPE_END + BEFORE_PAYLOAD.length;
const TAIL_LENGTH = TAIL.length + 8;

/** Where the type and the payload are in the bytes of a node as they mostly are; `null` for any other. */
export function plainNode(bytes: Buffer): PlainNode | null {
  const end = bytes.length - TAIL_LENGTH;
  const isPlain =
    end > PAYLOAD_AT &&
    isAt(bytes, 0, HEAD) &&
    isAt(bytes, TYPE_END, BEFORE_PAYLOAD) &&
    isAt(bytes, end, TAIL) &&
    isTime(bytes.readUInt32BE(bytes.length - 8));
  if (!isPlain) return null;
  if (!isAt(bytes, HEAD.length, last.bytes)) {
    const type = bytes.toString("latin1", HEAD.length, TYPE_END);
    if (!isHash(type)) return null;
    last = { type, bytes: Buffer.from(type) };
  }
  return { type: last.type, start: PAYLOAD_AT, end };
}

/** The upper half of a whole number that needs all its bytes and has no more than 53 bits. */
function isTime(high: number): boolean {
  return high > 0 && high < 2 ** 21;
}

/** Neighbours often have one type. */
let last = { type: META_SCHEMA_HASH, bytes: Buffer.from(META_SCHEMA_HASH) };

function isAt(bytes: Uint8Array, start: number, wanted: Uint8Array): boolean {
  for (let index = 0; index < wanted.length; index += 1)
    if (bytes[start + index] !== wanted[index]) return false;
  return true;
}

let scratch = Buffer.alloc(64 * 1024);

/** The hash of a node that is not its own type. */
export function hashOfPlain(bytes: Buffer, { start, end }: PlainNode): Hash {
  const length = HASH_LENGTH + end - start;
  if (length > scratch.length) scratch = Buffer.alloc(length * 2);
  bytes.copy(scratch, 0, HEAD.length, TYPE_END);
  bytes.copy(scratch, HASH_LENGTH, start, end);
  return hashBytes(scratch.subarray(0, length));
}

/** The type in the bytes of a node, damaged or not; `null` if none is there. */
export function typeIn(bytes: Buffer | null): Hash | null {
  const type = bytes?.toString("latin1", HEAD.length, TYPE_END);
  return isHash(type) ? type : null;
}

/**
 * What a node refers to, if its bytes show without being decoded that it has that hash and is valid under its type; `null`
 * where that is not certain. `isType`: whether a hash is that of a sound schema which `store` has.
 */
export function soundNode(
  store: Reader,
  hash: Hash,
  bytes: Buffer,
  isType: (hash: Hash) => boolean,
): (PlainNode & { readonly references: readonly Hash[] }) | null {
  const plain = plainNode(bytes);
  if (plain === null || plain.type === hash || !isType(plain.type)) return null;
  if (hashOfPlain(bytes, plain) !== hash) return null;
  const references = refsIfSound(store, plain.type, bytes.subarray(plain.start, plain.end));
  return references === null ? null : { ...plain, references };
}
