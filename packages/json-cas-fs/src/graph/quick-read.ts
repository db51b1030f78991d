import {
  FOREIGN_ROOTS,
  HASH_LENGTH,
  type Hash,
  hashBytes,
  isHash,
  META_SCHEMA_HASH,
  refsInBytes,
  type Store,
} from "@uncaged/json-cas";
import { type NodeOutcome, readForNext } from "./next.js";

// Of most nodes the bytes say all there is to know: their hash fits, so they are what was put; and a reference is a text of
// 13 characters, of which they have none.

export type QuickReader = (hash: Hash, bytes: Buffer | null) => NodeOutcome;

/** `readForNext` of bytes that were read already; for what is not plain it asks the store. */
export function createQuickReader(store: Store): QuickReader {
  // Types of which a node was read the long way, so that their schemas are known to be there.
  const known = new Set<Hash>();
  return (hash, bytes) => {
    const plain = bytes === null ? null : plainNode(bytes);
    if (bytes === null || plain === null || !known.has(plain.type)) {
      const outcome = readForNext(store, hash);
      if (outcome !== "missing" && !("damage" in outcome) && !FOREIGN_ROOTS.has(outcome.type))
        known.add(outcome.type);
      return outcome;
    }
    const { type } = plain;
    if (hashOfPlain(bytes, plain) !== hash) return readForNext(store, hash);
    if (!mayRefer(bytes, plain.start, plain.end)) return { type, next: type === hash ? [] : [type] };
    const found = refsInBytes(store, type, bytes.subarray(plain.start, plain.end));
    if (found === null) return readForNext(store, hash);
    return { type, next: [...found.filter((reference) => reference !== type && reference !== hash), type] };
  };
}

type PlainNode = { readonly type: Hash; readonly start: number; readonly end: number };

// a3 64 type 6d <13 characters> 67 payload <payload> 69 timestamp 1b <8 bytes>
const HEAD = Buffer.from("\xa3\x64type\x6d", "latin1");
const BEFORE_PAYLOAD = Buffer.from("\x67payload", "latin1");
const TAIL = Buffer.from("\x69timestamp\x1b", "latin1");
const TYPE_END = HEAD.length + HASH_LENGTH;
const PAYLOAD_AT = TYPE_END + BEFORE_PAYLOAD.length;
const TAIL_LENGTH = TAIL.length + 8;

/** Where the type and the payload are in the bytes of a node as they mostly are; `null` for any other. */
function plainNode(bytes: Buffer): PlainNode | null {
  const end = bytes.length - TAIL_LENGTH;
  const isPlain =
    end > PAYLOAD_AT &&
    isAt(bytes, 0, HEAD) &&
    isAt(bytes, TYPE_END, BEFORE_PAYLOAD) &&
    isAt(bytes, end, TAIL);
  if (!isPlain) return null;
  if (!isAt(bytes, HEAD.length, last.bytes)) {
    const type = bytes.toString("latin1", HEAD.length, TYPE_END);
    if (!isHash(type)) return null;
    last = { type, bytes: Buffer.from(type) };
  }
  return { type: last.type, start: PAYLOAD_AT, end };
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
function hashOfPlain(bytes: Buffer, { start, end }: PlainNode): Hash {
  const length = HASH_LENGTH + end - start;
  if (length > scratch.length) scratch = Buffer.alloc(length * 2);
  bytes.copy(scratch, 0, HEAD.length, TYPE_END);
  bytes.copy(scratch, HASH_LENGTH, start, end);
  return hashBytes(scratch.subarray(0, length));
}

const TEXT_OF_13 = 0x6d;

/** Whether there may be a reference: a text of 13 characters of a hash. */
function mayRefer(bytes: Buffer, start: number, end: number): boolean {
  for (let at = bytes.indexOf(TEXT_OF_13, start); at !== -1 && at + HASH_LENGTH < end; ) {
    let length = 0;
    while (length < HASH_LENGTH && IN_HASH[bytes[at + 1 + length] ?? 0] === 1) length += 1;
    if (length === HASH_LENGTH) return true;
    at = bytes.indexOf(TEXT_OF_13, at + 1);
  }
  return false;
}

/** Character code → 1 for the characters of a hash. */
const IN_HASH = new Uint8Array(256);
for (const character of "0123456789ABCDEFGHJKMNPQRSTVWXYZ") IN_HASH[character.charCodeAt(0)] = 1;

/** The type in the bytes of a node, damaged or not; `null` if none is there. */
export function typeIn(bytes: Buffer | null): Hash | null {
  const type = bytes?.toString("latin1", HEAD.length, TYPE_END);
  return isHash(type) ? type : null;
}
