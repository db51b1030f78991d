import type { JsonValue } from "../node/index.js";
import { setOwn } from "../storable/index.js";

// The one DAG-CBOR form in one pass. Decoding anything that is CBOR, encoding it again and comparing the bytes takes
// six times as long, and most of what a process does with a store is reading. Whatever is not of this form is
// `undefined` here, and that slow road says what is wrong with it.

/** Where the reader is in the bytes. */
type Cursor = { readonly bytes: Buffer; at: number };

const MAJOR = { integer: 0, negative: 1, text: 3, array: 4, map: 5 } as const;
const FALSE = 0xf4;
const TRUE = 0xf5;
const NULL = 0xf6;
const FLOAT64 = 0xfb;

/** Longer texts are looked through natively. */
const SHORT_TEXT = 64;

/**
 * The value that the bytes are the one DAG-CBOR form of, deeply frozen; `undefined` when they are none or it has more
 * than `limit` containers inside of each other.
 */
export function readCanonical(bytes: Uint8Array, limit: number): JsonValue | undefined {
  const cursor = { bytes: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength), at: 0 };
  const value = readValue(cursor, limit);
  return cursor.at === bytes.length ? value : undefined;
}

function readValue(cursor: Cursor, levels: number): JsonValue | undefined {
  const first = cursor.bytes[cursor.at] ?? 0xff;
  switch (first >> 5) {
    case MAJOR.text:
      return readText(cursor);
    case MAJOR.map:
      return levels > 0 ? readMap(cursor, levels - 1) : undefined;
    case MAJOR.array:
      return levels > 0 ? readArray(cursor, levels - 1) : undefined;
    case MAJOR.integer:
      return wholeOrNot(readArgument(cursor));
    case MAJOR.negative:
      return readNegative(cursor);
    default:
      return readSimple(cursor, first);
  }
}

/** The number in an item's head (a value, or a length) in its shortest form; -1 for any other. */
function readArgument(cursor: Cursor): number {
  const { bytes, at } = cursor;
  const info = (bytes[at] ?? 0xff) & 31;
  cursor.at += 1;
  if (info < 24) return info;
  if (info > 27) return -1;
  cursor.at += 1 << (info - 24);
  if (cursor.at > bytes.length) return -1;
  if (info === 24) return atLeast(24, bytes.readUInt8(at + 1));
  if (info === 25) return atLeast(2 ** 8, bytes.readUInt16BE(at + 1));
  if (info === 26) return atLeast(2 ** 16, bytes.readUInt32BE(at + 1));
  const wide = bytes.readUInt32BE(at + 1) * 2 ** 32 + bytes.readUInt32BE(at + 5);
  return Number.isSafeInteger(wide) ? atLeast(2 ** 32, wide) : -1;
}

function atLeast(minimum: number, value: number): number {
  return value < minimum ? -1 : value;
}

function wholeOrNot(argument: number): number | undefined {
  return argument < 0 ? undefined : argument;
}

function readNegative(cursor: Cursor): number | undefined {
  const argument = readArgument(cursor);
  return argument >= 0 && Number.isSafeInteger(-1 - argument) ? -1 - argument : undefined;
}

function readText(cursor: Cursor): string | undefined {
  const length = readArgument(cursor);
  const start = cursor.at;
  const end = start + length;
  if (length < 0 || end > cursor.bytes.length) return undefined;
  cursor.at = end;
  if (length <= SHORT_TEXT && isAscii(cursor.bytes, start, end)) {
    return cursor.bytes.toString("latin1", start, end);
  }
  const text = cursor.bytes.toString("utf8", start, end);
  // What is no UTF-8 comes as U+FFFD; the character itself is rare enough to look twice.
  return text.includes("\ufffd") ? strictText(cursor.bytes.subarray(start, end)) : text;
}

function strictText(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (error) {
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}

function isAscii(bytes: Uint8Array, start: number, end: number): boolean {
  for (let at = start; at < end; at += 1) if ((bytes[at] ?? 0) > 0x7f) return false;
  return true;
}

function readArray(cursor: Cursor, levels: number): JsonValue | undefined {
  const length = readArgument(cursor);
  if (length < 0) return undefined;
  const items: JsonValue[] = [];
  for (let index = 0; index < length; index += 1) {
    const item = readValue(cursor, levels);
    if (item === undefined) return undefined;
    items.push(item);
  }
  return Object.freeze(items);
}

function readMap(cursor: Cursor, levels: number): JsonValue | undefined {
  const size = readArgument(cursor);
  if (size < 0) return undefined;
  const map: Record<string, JsonValue> = {};
  let before = -1;
  for (let index = 0; index < size; index += 1) {
    const start = cursor.at;
    const key = isText(cursor) ? readText(cursor) : undefined;
    if (key === undefined || !ascends(cursor, before, start)) return undefined;
    before = start;
    const value = readValue(cursor, levels);
    if (value === undefined) return undefined;
    setOwn(map, key, value);
  }
  return Object.freeze(map);
}

function isText({ bytes, at }: Cursor): boolean {
  return (bytes[at] ?? 0xff) >> 5 === MAJOR.text;
}

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

function readSimple(cursor: Cursor, first: number): JsonValue | undefined {
  cursor.at += 1;
  if (first === TRUE || first === FALSE) return first === TRUE;
  if (first === NULL) return null;
  return first === FLOAT64 ? readFloat(cursor) : undefined;
}

/** Whole numbers that are safe have a shorter form, 0 and -0 too. */
function readFloat(cursor: Cursor): number | undefined {
  const { bytes, at } = cursor;
  cursor.at += 8;
  if (cursor.at > bytes.length) return undefined;
  const value = bytes.readDoubleBE(at);
  return Number.isFinite(value) && !Number.isSafeInteger(value) ? value : undefined;
}
