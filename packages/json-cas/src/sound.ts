import { isUtf8 } from "node:buffer";
import {
  entriesOf,
  isObject,
  type JsonValue,
  keyword,
  listOf,
  type SchemaObject,
} from "@uncaged/json-schema";
import { HASH_LENGTH, isHashAt } from "./hash.js";
import type { Hash } from "./node.js";
import { getSchema, type Reader } from "./node-type.js";

// Most nodes of a store have one of a few plain schemas, and nothing is wrong with them. Their bytes show it, without an
// object being made of them: they are the canonical DAG-CBOR of a value that the schema allows. Where anything is not that
// plain the answer is "not certain", and the complete check says what is wrong, if anything is.

/** `refs`: where references begin. Who goes beyond `end` never comes back: that is asked once, at the end. */
type Cursor = {
  readonly bytes: Buffer;
  at: number;
  readonly end: number;
  items: number;
  readonly refs: number[];
};

/** Goes past a value; `false`: not certain. */
type Check = (cursor: Cursor) => boolean;

/** By hash, as validators are: a schema is immutable. `null`: not a plain one. */
const checks = new Map<Hash, Check | null>();

const MOST_CHECKS = 256;

/**
 * The references of a payload (its DAG-CBOR) that certainly is canonical and valid under its type, each once, as `refs` gives
 * them; `null` if that is not certain.
 */
export function refsIfSound(store: Reader, type: Hash, payload: Uint8Array): readonly Hash[] | null {
  const bytes = asBuffer(payload);
  const places = refPlacesIfSound(store, type, bytes, 0, bytes.length);
  if (places === null) return null;
  const refs = places.map((at) => bytes.toString("latin1", at, at + HASH_LENGTH) as Hash);
  return refs.length < 2 ? refs : [...new Set(refs)];
}

/**
 * The same of a payload that is in `bytes` from `start` to `end`, as the places in `bytes` at which references begin, each as
 * often as it is there.
 */
export function refPlacesIfSound(
  store: Reader,
  type: Hash,
  bytes: Uint8Array,
  start: number,
  end: number,
): readonly number[] | null {
  let check = checks.get(type);
  if (check === undefined) {
    if (checks.size >= MOST_CHECKS) checks.clear();
    const schema = getSchema(store, type);
    check = schema === null ? null : checkOf(schema);
    checks.set(type, check);
  }
  if (check === null) return null;
  const cursor: Cursor = { bytes: asBuffer(bytes), at: start, end, items: 0, refs: [] };
  return check(cursor) && cursor.at === end ? cursor.refs : null;
}

/** The same bytes. No type of the package names `Buffer`, so that its users need no types of Node.js. */
function asBuffer(bytes: Uint8Array): Buffer {
  return bytes instanceof Buffer ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

const MAJOR = { integer: 0, text: 3, array: 4, map: 5 } as const;
const NULL = 0xf6;
const FALSE = 0xf4;
const TRUE = 0xf5;

/** Elements and members; more are counted by the complete check. */
const MOST_ITEMS = 10_000;

/** Keywords that say nothing about a value. */
const SILENT: ReadonlySet<string> = new Set(["title", "description"]);

function checkOf(schema: JsonValue): Check | null {
  if (!isObject(schema)) return null;
  const names = Object.keys(schema).filter((name) => !SILENT.has(name));
  const only = (...allowed: readonly string[]): boolean => names.every((name) => allowed.includes(name));
  if (only("anyOf")) return orNull(listOf(keyword(schema, "anyOf")));
  switch (keyword(schema, "type")) {
    case "object":
      return only("type", "required", "properties", "additionalProperties") ? mapCheck(schema) : null;
    case "array":
      return only("type", "items") ? arrayCheck(keyword(schema, "items")) : null;
    case "string":
      if (only("type")) return (cursor) => text(cursor) !== -1;
      return only("type", "format") && keyword(schema, "format") === "cas_ref" ? reference : null;
    case "integer":
    case "number":
      return integerCheck(keyword(schema, "minimum") ?? 0, only("type", "minimum"));
    case "boolean":
      return only("type") ? simple(FALSE, TRUE) : null;
    case "null":
      return only("type") ? simple(NULL, NULL) : null;
    default:
      return null;
  }
}

/** A number in an item's head, in its shortest form, of a major type; -1: not certain. */
function head(cursor: Cursor, major: number): number {
  const { bytes, at } = cursor;
  const first = bytes[at] ?? 0xff;
  const info = first & 31;
  if (first >> 5 !== major || info > 27) return -1;
  cursor.at = at + 1;
  if (info < 24) return info;
  const width = 1 << (info - 24);
  cursor.at += width;
  if (cursor.at > cursor.end) return -1;
  const value =
    width < 8
      ? bytes.readUIntBE(at + 1, width)
      : bytes.readUInt32BE(at + 1) * 2 ** 32 + bytes.readUInt32BE(at + 5);
  const least = width === 1 ? 24 : 2 ** (width * 4);
  return value >= least && Number.isSafeInteger(value) ? value : -1;
}

/** Bytes of a text, which the cursor has passed; -1: not certain. */
function text(cursor: Cursor): number {
  const length = head(cursor, MAJOR.text);
  const { bytes, at } = cursor;
  if (length === -1 || at + length > cursor.end) return -1;
  cursor.at = at + length;
  return (length <= SHORT && isAsciiBetween(bytes, at, cursor.at)) || isUtf8(bytes.subarray(at, cursor.at))
    ? length
    : -1;
}

function isAsciiBetween(bytes: Buffer, start: number, end: number): boolean {
  for (let index = start; index < end; index += 1) if ((bytes[index] ?? 0xff) > 0x7f) return false;
  return true;
}

/** Up to here asking for each byte takes less than a call. */
const SHORT = 48;

function reference(cursor: Cursor): boolean {
  if (text(cursor) !== HASH_LENGTH) return false;
  const at = cursor.at - HASH_LENGTH;
  if (!isHashAt(cursor.bytes, at)) return false;
  cursor.refs.push(at);
  return true;
}

function integerCheck(minimum: JsonValue, isPlain: boolean): Check | null {
  if (!isPlain || typeof minimum !== "number") return null;
  // A negative number is not certain, and no fraction, whatever the schema says.
  return (cursor) => {
    const value = head(cursor, MAJOR.integer);
    return value !== -1 && value >= minimum;
  };
}

function simple(low: number, high: number): Check {
  return (cursor) => {
    const byte = cursor.bytes[cursor.at] ?? 0;
    cursor.at += 1;
    return byte >= low && byte <= high;
  };
}

/** A value or null: the form in which our schemas say that something is unknown. */
function orNull(branches: readonly JsonValue[]): Check | null {
  const [first, second] = branches;
  const isNull = isObject(second ?? null) && JSON.stringify(second) === '{"type":"null"}';
  const inner = branches.length === 2 && isNull ? checkOf(first ?? null) : null;
  if (inner === null) return null;
  return (cursor) => {
    if (cursor.bytes[cursor.at] !== NULL) return inner(cursor);
    cursor.at += 1;
    return true;
  };
}

function arrayCheck(items: JsonValue | undefined): Check | null {
  const inner = items === undefined ? null : checkOf(items);
  if (inner === null) return null;
  return (cursor) => {
    const length = head(cursor, MAJOR.array);
    cursor.items += length;
    if (length === -1 || cursor.items > MOST_ITEMS) return false;
    for (let left = length; left > 0; left -= 1) if (!inner(cursor)) return false;
    return true;
  };
}

type Member = { readonly key: Buffer; readonly check: Check; readonly isRequired: boolean };

/** Members that the schema names, in the order of DAG-CBOR; with any other it is not certain. */
function mapCheck(schema: SchemaObject): Check | null {
  const required = new Set(listOf(keyword(schema, "required")));
  const members: Member[] = [];
  for (const [key, inner] of entriesOf(keyword(schema, "properties"))) {
    const check = checkOf(inner);
    if (check === null) return null;
    members.push({ key: Buffer.from(key), check, isRequired: required.delete(key) });
  }
  const additional = keyword(schema, "additionalProperties");
  // One that is required and not named has a place among others that are not known here.
  if (required.size > 0 || (additional !== undefined && additional !== false)) return null;
  members.sort((left, right) => left.key.length - right.key.length || Buffer.compare(left.key, right.key));
  return (cursor) => {
    let left = head(cursor, MAJOR.map);
    cursor.items += left;
    if (left === -1 || cursor.items > MOST_ITEMS) return false;
    for (const { key, check, isRequired } of members) {
      if (left > 0 && skipKey(cursor, key)) {
        left -= 1;
        if (!check(cursor)) return false;
      } else if (isRequired) return false;
    }
    return left === 0;
  };
}

/** Goes past a key if it is this one. */
function skipKey(cursor: Cursor, key: Buffer): boolean {
  const { at, bytes } = cursor;
  const length = head(cursor, MAJOR.text);
  let isIt = length === key.length;
  for (let index = 0; isIt && index < length; index += 1) isIt = bytes[cursor.at + index] === key[index];
  cursor.at = isIt ? cursor.at + length : at;
  return isIt;
}
