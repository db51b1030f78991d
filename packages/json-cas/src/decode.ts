import { MAX_DEPTH, MAX_VALUES, setOwn } from "@uncaged/json-schema";
import { OF_THE_NODE } from "./encode.js";
import { isHash } from "./hash.js";
import type { CasNode, JsonValue } from "./node.js";

/** Bytes that are not a node or not the one DAG-CBOR form of a value; `message` is the reason. */
export class DecodeError extends Error {
  constructor(reason: string) {
    super(reason);
    this.name = "DecodeError";
  }
}

// The one DAG-CBOR form of a JSON value, read in one pass: most of what a process does with a store is reading.
// Whatever is not of this form is refused where it stands.

/** Where the reader is in the bytes. */
type Cursor = { readonly bytes: Buffer; at: number; values: number };

const MAJOR = { integer: 0, negative: 1, text: 3, array: 4, map: 5 } as const;
const FALSE = 0xf4;
const TRUE = 0xf5;
const NULL = 0xf6;
const FLOAT64 = 0xfb;

/**
 * The value that the bytes are the one DAG-CBOR form of, deeply frozen. Throws `DecodeError` when they are none, or it
 * has more than `limit` containers inside of each other, or too many values.
 */
export function readCanonical(bytes: Uint8Array, limit: number): JsonValue {
  const buffer = Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const cursor = { bytes: buffer, at: 0, values: 0 };
  const value = readValue(cursor, limit);
  if (cursor.at !== bytes.length) refuse("bytes after the end", cursor.at);
  return value;
}

function refuse(what: string, at: number): never {
  throw new DecodeError(`not canonical DAG-CBOR: ${what} at byte ${at}`);
}

function readValue(cursor: Cursor, levels: number): JsonValue {
  cursor.values += 1;
  if (cursor.values > MAX_VALUES + OF_THE_NODE) throw new DecodeError(`more than ${MAX_VALUES} values`);
  const first = firstByte(cursor);
  switch (first >> 5) {
    case MAJOR.text:
      return readText(cursor);
    case MAJOR.map:
      return readMap(cursor, below(levels));
    case MAJOR.array:
      return readArray(cursor, below(levels));
    case MAJOR.integer:
      return readArgument(cursor);
    case MAJOR.negative:
      return readNegative(cursor);
    default:
      return readSimple(cursor, first);
  }
}

function firstByte({ bytes, at }: Cursor): number {
  return bytes[at] ?? refuse("the end comes early", at);
}

function below(levels: number): number {
  if (levels === 0) throw new DecodeError(`nested deeper than ${MAX_DEPTH} levels`);
  return levels - 1;
}

/** The number in an item's head: a value, or a length. */
function readArgument(cursor: Cursor): number {
  const { at } = cursor;
  const info = firstByte(cursor) & 31;
  cursor.at += 1;
  if (info < 24) return info;
  if (info > 27) refuse("a length that is none", at);
  const width = 1 << (info - 24);
  const value = readWhole(cursor, width);
  if (value < LEAST[width as keyof typeof LEAST]) refuse("a number in a longer form than it needs", at);
  return value;
}

/** The smallest number that needs this many bytes. */
const LEAST = { 1: 24, 2: 2 ** 8, 4: 2 ** 16, 8: 2 ** 32 } as const;

function readWhole(cursor: Cursor, width: number): number {
  const { bytes, at } = cursor;
  cursor.at += width;
  if (cursor.at > bytes.length) refuse("the end comes early", at);
  if (width < 8) return bytes.readUIntBE(at, width);
  const wide = bytes.readUInt32BE(at) * 2 ** 32 + bytes.readUInt32BE(at + 4);
  return Number.isSafeInteger(wide) ? wide : refuse("an integer of more than 53 bits", at);
}

function readNegative(cursor: Cursor): number {
  const { at } = cursor;
  const value = -1 - readArgument(cursor);
  return Number.isSafeInteger(value) ? value : refuse("an integer of more than 53 bits", at);
}

function readText(cursor: Cursor): string {
  const length = readArgument(cursor);
  const start = cursor.at;
  const end = start + length;
  if (end > cursor.bytes.length) refuse("the end comes early", start);
  cursor.at = end;
  const text = cursor.bytes.toString("utf8", start, end);
  // Invalid UTF-8 is decoded as U+FFFD; the character itself is rare, so a second check costs little.
  if (text.includes("\ufffd") && !isUtf8(cursor.bytes.subarray(start, end)))
    refuse("text that is no UTF-8", start);
  return text;
}

function isUtf8(bytes: Uint8Array): boolean {
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    return true;
  } catch (error) {
    if (error instanceof TypeError) return false;
    throw error;
  }
}

function readArray(cursor: Cursor, levels: number): JsonValue {
  const length = readArgument(cursor);
  const items: JsonValue[] = [];
  for (let index = 0; index < length; index += 1) items.push(readValue(cursor, levels));
  return Object.freeze(items);
}

function readMap(cursor: Cursor, levels: number): JsonValue {
  const size = readArgument(cursor);
  const map: Record<string, JsonValue> = {};
  let before = -1;
  for (let index = 0; index < size; index += 1) {
    const start = cursor.at;
    const key = readKey(cursor);
    if (!ascends(cursor, before, start)) refuse("a key out of order", start);
    before = start;
    setOwn(map, key, readValue(cursor, levels));
  }
  return Object.freeze(map);
}

/**
 * Few keys come in most nodes: a text that was made once is found by its bytes. Making each again would take a third of the
 * time of reading a node.
 */
const keys: (string | null)[] = new Array(1024).fill(null);

const LONGEST_KEPT = 23;

function readKey(cursor: Cursor): string {
  const { bytes, at } = cursor;
  const first = firstByte(cursor);
  if (first >> 5 !== MAJOR.text) refuse("a key that is no text", at);
  const length = first & 31;
  if (length === 0 || length > LONGEST_KEPT || at + length >= bytes.length) return readText(cursor);
  const sum = length * 31 + byteAt(bytes, at + 1) * 7 + byteAt(bytes, at + length) * 3;
  const slot = (sum + byteAt(bytes, at + 1 + (length >> 1))) & (keys.length - 1);
  const known = keys[slot] ?? null;
  if (known !== null && isAt(bytes, at + 1, length, known)) {
    cursor.at = at + 1 + length;
    return known;
  }
  const key = readText(cursor);
  keys[slot] = key;
  return key;
}

function byteAt(bytes: Buffer, at: number): number {
  return bytes[at] ?? 0;
}

/** Whether the ASCII text stands there; a text with other characters never does. */
function isAt(bytes: Buffer, at: number, length: number, text: string): boolean {
  if (text.length !== length) return false;
  for (let index = 0; index < length; index += 1) {
    const byte = byteAt(bytes, at + index);
    if (byte !== text.charCodeAt(index) || byte > LAST_ASCII) return false;
  }
  return true;
}

const LAST_ASCII = 0x7f;

/**
 * Whether the key that was just read, from `start` on, comes after the one that begins at `before` (-1: there is none).
 * Shorter ones come first: with its length in its head a key is compared byte by byte.
 */
function ascends({ bytes, at }: Cursor, before: number, start: number): boolean {
  if (before === -1) return true;
  for (let index = 0; start + index < at; index += 1) {
    const left = bytes[before + index] ?? 0;
    const right = bytes[start + index] ?? 0;
    if (left !== right) return left < right;
  }
  return false;
}

function readSimple(cursor: Cursor, first: number): JsonValue {
  const { at } = cursor;
  cursor.at += 1;
  if (first === TRUE || first === FALSE) return first === TRUE;
  if (first === NULL) return null;
  return first === FLOAT64 ? readFloat(cursor) : refuse("what is no JSON", at);
}

/** Whole numbers that are safe have a shorter form, 0 and -0 too. */
function readFloat(cursor: Cursor): number {
  const { bytes, at } = cursor;
  cursor.at += 8;
  if (cursor.at > bytes.length) refuse("the end comes early", at);
  const value = bytes.readDoubleBE(at);
  if (!Number.isFinite(value)) refuse("a number that is not finite", at);
  return Number.isSafeInteger(value) ? refuse("an integer as a float", at) : value;
}

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
