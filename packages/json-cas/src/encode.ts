import { copyJson, type NotJson, type Result } from "@uncaged/json-schema";
import { CasError } from "./fault.js";
import type { CasNode, JsonValue } from "./node.js";

/** A deep, frozen copy of a JSON value; throws `NOT_STORABLE` for anything that JSON would change or lose. */
export function freezeCopy(value: unknown): JsonValue {
  return storable(copyJson(value));
}

/** `freezeCopy` of a whole node: its payload may be as deep and as large as any. */
export function freezeNode(node: unknown): JsonValue {
  return storable(copyJson(node, { levels: 1, values: OF_THE_NODE }));
}

/** The node, and its members beside the payload. */
export const OF_THE_NODE = 3;

/** Throws `NOT_STORABLE`, naming the place and the reason, unless the value is plain JSON at most 128 deep. */
export function checkStorable(value: unknown): asserts value is JsonValue {
  freezeCopy(value);
}

function storable(copied: Result<JsonValue, NotJson>): JsonValue {
  if (copied.ok) return copied.value;
  throw new CasError({ code: "NOT_STORABLE", ...copied.error });
}

// DAG-CBOR: the shortest head for every number and length, floats in 64 bits, keys shortest first and then by their
// bytes, nothing of indefinite length.

/** The one DAG-CBOR form of a JSON value; throws `NOT_STORABLE` for anything else. */
export function encode(value: JsonValue): Uint8Array {
  return encodeCopy(freezeCopy(value));
}

/** `encode` for what `freezeCopy` gave. */
export function encodeCopy(copy: JsonValue): Uint8Array {
  const writer = { bytes: Buffer.allocUnsafe(FIRST_SIZE), at: 0 };
  writeValue(writer, copy);
  return writer.bytes.subarray(0, writer.at);
}

/** The bytes of a whole node, as a backend keeps them. */
export function encodeNode(node: CasNode): Uint8Array {
  const { type, payload, timestamp } = node;
  return encodeCopy(freezeNode({ type, payload, timestamp }));
}

/** The same where the payload is encoded already. */
export function encodeAround(
  { type, timestamp }: Omit<CasNode, "payload">,
  payloadBytes: Uint8Array,
): Uint8Array {
  const writer = { bytes: Buffer.allocUnsafe(payloadBytes.length + AROUND_PAYLOAD), at: 0 };
  writeHead(writer, MAJOR.map, 3);
  for (const text of ["type", type, "payload"]) writeText(writer, text, text.length);
  reserve(writer, payloadBytes.length);
  writer.bytes.set(payloadBytes, writer.at);
  writer.at += payloadBytes.length;
  writeText(writer, "timestamp", "timestamp".length);
  writeNumber(writer, timestamp);
  return writer.bytes.subarray(0, writer.at);
}

/** Bytes of the keys, the type and the timestamp. */
const AROUND_PAYLOAD = 64;

export function sameBytes(left: Uint8Array, right: Uint8Array): boolean {
  return Buffer.compare(left, right) === 0;
}

/** Bytes that grow, and how many of them are written. */
type Writer = { bytes: Buffer; at: number };

/** Most nodes are smaller. */
const FIRST_SIZE = 1024;

const MAJOR = { integer: 0x00, negative: 0x20, text: 0x60, array: 0x80, map: 0xa0 } as const;
const FALSE = 0xf4;
const TRUE = 0xf5;
const NULL = 0xf6;
const FLOAT64 = 0xfb;

function writeValue(writer: Writer, value: JsonValue): void {
  if (typeof value === "string") writeText(writer, value, Buffer.byteLength(value));
  else if (typeof value === "number") writeNumber(writer, value);
  else if (typeof value === "boolean") writeByte(writer, value ? TRUE : FALSE);
  else if (value === null) writeByte(writer, NULL);
  else if (Array.isArray(value)) writeArray(writer, value);
  else writeMap(writer, value as Readonly<Record<string, JsonValue>>);
}

function reserve(writer: Writer, size: number): void {
  const needed = writer.at + size;
  if (needed <= writer.bytes.length) return;
  const larger = Buffer.allocUnsafe(Math.max(needed, writer.bytes.length * 2));
  writer.bytes.copy(larger, 0, 0, writer.at);
  writer.bytes = larger;
}

function writeByte(writer: Writer, byte: number): void {
  reserve(writer, 1);
  writer.at = writer.bytes.writeUInt8(byte, writer.at);
}

/** An item's head in its shortest form; `argument` is a safe integer, not negative. */
function writeHead(writer: Writer, major: number, argument: number): void {
  reserve(writer, 9);
  const { bytes, at } = writer;
  if (argument < 24) writer.at = bytes.writeUInt8(major | argument, at);
  else if (argument < 2 ** 8) writer.at = bytes.writeUInt8(argument, bytes.writeUInt8(major | 24, at));
  else if (argument < 2 ** 16) writer.at = bytes.writeUInt16BE(argument, bytes.writeUInt8(major | 25, at));
  else if (argument < 2 ** 32) writer.at = bytes.writeUInt32BE(argument, bytes.writeUInt8(major | 26, at));
  else {
    const high = bytes.writeUInt32BE(Math.floor(argument / 2 ** 32), bytes.writeUInt8(major | 27, at));
    writer.at = bytes.writeUInt32BE(argument % 2 ** 32, high);
  }
}

function writeNumber(writer: Writer, value: number): void {
  if (!Number.isSafeInteger(value)) writeFloat(writer, value);
  else if (value < 0) writeHead(writer, MAJOR.negative, -1 - value);
  else writeHead(writer, MAJOR.integer, value);
}

function writeFloat(writer: Writer, value: number): void {
  reserve(writer, 9);
  const { bytes, at } = writer;
  writer.at = bytes.writeDoubleBE(value, bytes.writeUInt8(FLOAT64, at));
}

function writeText(writer: Writer, text: string, size: number): void {
  writeHead(writer, MAJOR.text, size);
  reserve(writer, size);
  writer.at += writer.bytes.write(text, writer.at, "utf8");
}

function writeArray(writer: Writer, items: readonly JsonValue[]): void {
  writeHead(writer, MAJOR.array, items.length);
  for (const item of items) writeValue(writer, item);
}

function writeMap(writer: Writer, map: Readonly<Record<string, JsonValue>>): void {
  const keys = canonicalOrder(Object.keys(map));
  writeHead(writer, MAJOR.map, keys.length);
  for (const key of keys) {
    writeText(writer, key, Buffer.byteLength(key));
    writeValue(writer, map[key] ?? null);
  }
}

/** Keys as DAG-CBOR sorts them: shorter ones first, equally long ones by their bytes in UTF-8. */
export function canonicalOrder(keys: readonly string[]): readonly string[] {
  return [...keys].sort((left, right) => {
    const [size, other] = [Buffer.byteLength(left), Buffer.byteLength(right)];
    if (size !== other) return size - other;
    // Where all are ASCII, the characters are the bytes.
    if (left.length === size && right.length === size) return left < right ? -1 : 1;
    return Buffer.compare(Buffer.from(left), Buffer.from(right));
  });
}
