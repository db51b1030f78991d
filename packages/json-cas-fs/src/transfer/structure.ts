import { NODE_LIMIT } from "../store/index.js";
import { type HashTable, hashList } from "../table/index.js";
import { refuse } from "./error.js";
import {
  type Header,
  LINE_LIMIT,
  type NodeLine,
  parseEnd,
  parseEntry,
  parseHeader,
  parseNodeLine,
} from "./format.js";
import { exportLines, type Line } from "./lines.js";
import { sha256, sha256Of } from "./sha256.js";
import type { ExportEntry } from "./types.js";

/** Bytes of the longest line: a node of the greatest size in base64. */
export const LONGEST_LINE = Math.ceil(NODE_LIMIT / 3) * 4 + 1024;

const NODE_START = '{"hash":"';

export type Structure = {
  readonly header: Header;
  readonly entries: readonly ExportEntry[];
  readonly table: HashTable;
  /** Where the first node's line begins in the file, and its number. */
  readonly nodesAt: number;
  readonly sha256: string;
};

/** The first look at a file: every line in its place and form, every checksum, the counts. Keeps 8 bytes per node. */
export function checkStructure(fd: number, file: string): Structure {
  const lines = exportLines(fd, file, 0, LONGEST_LINE);
  const sum = sha256();
  const header = readHeader(lines, sum.update);
  const entries: ExportEntry[] = [];
  const hashes = hashList();
  let [nodesAt, end]: [number | null, string | null] = [null, null];
  for (const line of lines) {
    if (end !== null) refuse(line.number, "something follows the end");
    if (isNode(line)) {
      nodesAt ??= line.offset;
      hashes.add(nodeIn(line).hash);
    } else if (line.bytes.length > LINE_LIMIT) refuse(line.number, `it is longer than ${LINE_LIMIT} bytes`);
    else if (nodesAt === null && entries.length < header.entries) entries.push(entryIn(line));
    else {
      end = parseEnd(textOf(line));
      if (end === null) refuse(line.number, "it is neither a node nor the end");
    }
    if (end === null) sumLine(sum.update, line);
  }
  if (end === null) refuse(null, "it is cut short: the last line is missing");
  if (end !== sum.hex()) refuse(null, "its checksum is wrong: it was changed or damaged");
  checkCounts(header, entries.length, hashes.size());
  return { header, entries, table: hashes.table(), nodesAt: nodesAt ?? 0, sha256: end };
}

/** The node in a line; its checksum is right. */
export function nodeIn(line: Line): NodeLine {
  const node = parseNodeLine(textOf(line));
  if (node === null) return refuse(line.number, "it is no node in the form of an export");
  if (node.bytes.length > NODE_LIMIT) refuse(line.number, `the node is larger than ${NODE_LIMIT} bytes`);
  if (sha256Of(node.bytes) !== node.sha256) refuse(line.number, `the checksum of node ${node.hash} is wrong`);
  return node;
}

export function isNode(line: Line): boolean {
  const { bytes } = line;
  return (
    Buffer.from(
      bytes.buffer,
      bytes.byteOffset,
      NODE_START.length > bytes.length ? 0 : NODE_START.length,
    ).toString("latin1") === NODE_START
  );
}

function readHeader(lines: Generator<Line>, update: (data: Uint8Array | string) => void): Header {
  const first = lines.next();
  if (first.done === true) return refuse(null, "it is empty");
  // Whatever else it is may be one endless line of anything.
  const header =
    first.value.bytes.length > LINE_LIMIT
      ? "it is not an export of json-cas"
      : parseHeader(textOf(first.value));
  if (typeof header === "string") return refuse(null, header);
  sumLine(update, first.value);
  return header;
}

function entryIn(line: Line): ExportEntry {
  return parseEntry(textOf(line)) ?? refuse(line.number, "it is no entry in the form of an export");
}

function checkCounts(header: Header, entries: number, nodes: number): void {
  if (entries !== header.entries)
    refuse(null, `it has ${entries} entries, its header says ${header.entries}`);
  if (nodes !== header.nodes) refuse(null, `it has ${nodes} nodes, its header says ${header.nodes}`);
}

function sumLine(update: (data: Uint8Array | string) => void, { bytes }: Line): void {
  update(bytes);
  update("\n");
}

function textOf({ bytes }: Line): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("latin1");
}
