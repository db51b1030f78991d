import {
  builtInTypes,
  HASH_LENGTH,
  type Hash,
  hashesTo,
  isHash,
  LAST_TIME,
  type Reader,
  refPlacesIfSound,
} from "@uncaged/json-cas";
import { highOf } from "./halves.js";

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
  const type = typeAt(bytes);
  return type === null ? null : { type, start: PAYLOAD_AT, end };
}

/** The upper half of a whole number that needs all its bytes and is certainly no later than any date. */
function isTime(high: number): boolean {
  return high > 0 && high < LAST_HIGH;
}

const LAST_HIGH = Math.floor(LAST_TIME / 2 ** 32);

/** A store has few types: found by their bytes they need not be made into text for each node. */
const recent: { readonly type: Hash; readonly bytes: Uint8Array }[] = [];

const MOST_RECENT = 8;

function typeAt(bytes: Buffer): Hash | null {
  for (const known of recent) if (isAt(bytes, HEAD.length, known.bytes)) return known.type;
  const type = bytes.toString("latin1", HEAD.length, TYPE_END);
  if (!isHash(type)) return null;
  if (recent.length === MOST_RECENT) recent.pop();
  recent.unshift({ type, bytes: Buffer.from(type) });
  return type;
}

function isAt(bytes: Uint8Array, start: number, wanted: Uint8Array): boolean {
  for (let index = 0; index < wanted.length; index += 1)
    if (bytes[start + index] !== wanted[index]) return false;
  return true;
}

let scratch = Buffer.alloc(64 * 1024);

let builtIn: ReadonlySet<number> = new Set();

/** Whether a hash with that first half may be one of a built-in type, of which more is asked than its hash. */
function mayBeBuiltIn(high: number): boolean {
  if (builtIn.size !== builtInTypes.size) builtIn = new Set([...builtInTypes.keys()].map(highOf));
  return builtIn.has(high);
}

/** Whether a node that is neither its own type nor a built-in one has the hash with these halves. */
export function isPlainHash(bytes: Buffer, { start, end }: PlainNode, high: number, low: number): boolean {
  if (mayBeBuiltIn(high)) return false;
  const length = HASH_LENGTH + end - start;
  if (length > scratch.length) scratch = Buffer.alloc(length * 2);
  for (let index = 0; index < HASH_LENGTH; index += 1) scratch[index] = bytes[HEAD.length + index] ?? 0;
  scratch.set(bytes.subarray(start, end), HASH_LENGTH);
  return hashesTo(scratch.subarray(0, length), high, low);
}

/** The type in the bytes of a node, damaged or not; `null` if none is there. */
export function typeIn(bytes: Buffer | null): Hash | null {
  const type = bytes?.toString("latin1", HEAD.length, TYPE_END);
  return isHash(type) ? type : null;
}

/**
 * Where a node's references begin in its bytes, if these show without being decoded that it has the hash with these halves and
 * is valid under its type; `null` where that is not certain. `isType`: whether a hash is that of a sound schema which `store`
 * has.
 */
export function soundNode(
  store: Reader,
  [high, low]: readonly [high: number, low: number],
  bytes: Buffer,
  isType: (hash: Hash) => boolean,
): (PlainNode & { readonly places: readonly number[] }) | null {
  const plain = plainNode(bytes);
  if (plain === null || !isType(plain.type) || !isPlainHash(bytes, plain, high, low)) return null;
  const { type, start, end } = plain;
  const places = refPlacesIfSound(store, type, bytes, start, end);
  return places === null ? null : { type, start, end, places };
}
