import { readSync } from "node:fs";
import { HASH_LENGTH, type Hash, isHash, isObject, type JsonValue } from "@uncaged/json-cas";
import { guarded } from "../files/index.js";
import type { ExportEntry } from "./types.js";

/** A file that is not an export, or is incomplete or altered; `reason` says where and why. Nothing was written. */
export class ExportFileError extends Error {
  readonly reason: string;
  constructor(reason: string) {
    super(reason);
    this.name = "ExportFileError";
    this.reason = reason;
  }
}

export function refuse(line: number | null, reason: string): never {
  throw new ExportFileError(line === null ? reason : `line ${line}: ${reason}`);
}

// Until packs an export was ASCII text, one JSON document per line, each in one form only:
//
//   {"format":"json-cas-export","version":1,"nodes":2,"entries":1,"roots":["<hash>"]}
//   {"entry":{…}}                                            what the program adds, in the order given
//   {"hash":"<hash>","sha256":"<hex>","node":"<base64>"}     DAG-CBOR of the node, as in its file
//   {"end":true,"sha256":"<hex>"}                            over every byte before this line
//
// A node comes after its type and everything that it refers to: nodes are sorted in rounds, starting with those
// that nothing refers to, each round by hash, and the result is reversed. So the same nodes give the same bytes.

const VERSION = 1;

const FORMAT = "json-cas-export";

/** Bytes of a line that is not a node. */
export const LINE_LIMIT = 4 * 1024 * 1024;

const HEX = /^[0-9a-f]{64}$/;

export type Header = {
  readonly nodes: number;
  readonly entries: number;
  readonly roots: readonly Hash[];
};

export type NodeLine = { readonly hash: Hash; readonly sha256: string; readonly bytes: Uint8Array };

const [BEFORE_HASH, BEFORE_SHA, BEFORE_NODE, AFTER_NODE] = ['{"hash":"', '","sha256":"', '","node":"', '"}'];
const HASH_AT = BEFORE_HASH.length;
const SHA_AT = HASH_AT + HASH_LENGTH + BEFORE_SHA.length;
const NODE_AT = SHA_AT + 64 + BEFORE_NODE.length;

export function headerLine({ nodes, entries, roots }: Header): string {
  return `${JSON.stringify({ format: FORMAT, version: VERSION, nodes, entries, roots })}\n`;
}

export function entryLine(entry: ExportEntry): string {
  return `${asciiJson({ entry })}\n`;
}

export function nodeLine({ hash, sha256, bytes }: NodeLine): string {
  const node = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("base64");
  return `${BEFORE_HASH}${hash}${BEFORE_SHA}${sha256}${BEFORE_NODE}${node}${AFTER_NODE}\n`;
}

export function endLine(sha256: string): string {
  return `${JSON.stringify({ end: true, sha256 })}\n`;
}

/** The first line, or what is wrong with it. */
export function parseHeader(text: string): Header | string {
  const value = parseObject(text);
  if (value === null || value.format !== FORMAT) return "it is not an export of json-cas";
  const { version, nodes, entries, roots } = value;
  if (version !== VERSION) return `it has version ${JSON.stringify(version)}; this version reads ${VERSION}`;
  if (!isCount(nodes) || !isCount(entries) || !Array.isArray(roots) || !roots.every(isHash))
    return "its header is malformed";
  const header = { nodes, entries, roots };
  return headerLine(header) === `${text}\n` ? header : "its header is malformed";
}

export function parseEntry(text: string): ExportEntry | null {
  const entry = parseObject(text)?.entry;
  if (!isObject(entry) || entryLine(entry) !== `${text}\n`) return null;
  return entry;
}

/** By place, not by a JSON parser: a node may be 45 MB of text, and there is one form only. */
export function parseNodeLine(text: string): NodeLine | null {
  const hash = text.slice(HASH_AT, HASH_AT + HASH_LENGTH);
  const sha256 = text.slice(SHA_AT, SHA_AT + 64);
  const node = text.slice(NODE_AT, -AFTER_NODE.length);
  if (!isHash(hash) || !HEX.test(sha256)) return null;
  if (
    !text.startsWith(`${BEFORE_HASH}${hash}${BEFORE_SHA}${sha256}${BEFORE_NODE}`) ||
    !text.endsWith(AFTER_NODE)
  )
    return null;
  const bytes = Buffer.from(node, "base64");
  return bytes.toString("base64") === node ? { hash, sha256, bytes } : null;
}

/** The checksum in the last line. */
export function parseEnd(text: string): string | null {
  const sha256 = parseObject(text)?.sha256;
  return typeof sha256 === "string" && HEX.test(sha256) && endLine(sha256) === `${text}\n` ? sha256 : null;
}

type Parsed = { readonly [key: string]: JsonValue };

function parseObject(text: string): Parsed | null {
  try {
    const value: JsonValue = JSON.parse(text);
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}

function isCount(value: JsonValue | undefined): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}

/** JSON without a character above ASCII: the file is the same bytes in every encoding. */
function asciiJson(value: JsonValue): string {
  return JSON.stringify(value).replace(
    /[\u007f-\uffff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

const NEWLINE = 10;
const CHUNK = 256 * 1024;

export type Line = {
  /** From 1. */
  readonly number: number;
  /** Where it begins in the file. */
  readonly offset: number;
  readonly bytes: Uint8Array;
};

/** The lines of an open file from an offset on, without their newlines. In memory is one line, at most `limit` bytes. */
export function* exportLines(fd: number, file: string, from: number, limit: number): Generator<Line> {
  let pieces: Uint8Array[] = [];
  let [length, offset, position, number] = [0, from, from, 1];
  for (;;) {
    const chunk = Buffer.allocUnsafe(CHUNK);
    const read = guarded("read", file, () => readSync(fd, chunk, 0, CHUNK, position));
    if (read === 0) break;
    position += read;
    for (let start = 0; start < read; ) {
      const end = chunk.subarray(0, read).indexOf(NEWLINE, start);
      const piece = chunk.subarray(start, end === -1 ? read : end);
      length += piece.length;
      if (length > limit) refuse(number, `it is longer than ${limit} bytes`);
      pieces.push(piece);
      if (end === -1) break;
      yield { number, offset, bytes: pieces.length === 1 ? piece : Buffer.concat(pieces) };
      offset += length + 1;
      [pieces, length, number, start] = [[], 0, number + 1, end + 1];
    }
  }
  if (length > 0) refuse(number, "it is cut short");
}

/** A running SHA-256. node:crypto costs bun 6 ms, so it is loaded where it is used. */
export function sha256() {
  const hash = process.getBuiltinModule("node:crypto").createHash("sha256");
  return {
    update: (data: string | Uint8Array): void => {
      hash.update(data);
    },
    hex: (): string => hash.digest("hex"),
  };
}

export function sha256Of(bytes: Uint8Array): string {
  const sum = sha256();
  sum.update(bytes);
  return sum.hex();
}
