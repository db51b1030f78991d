import {
  builtInTypes,
  type CasNode,
  checkSchema,
  DecodeError,
  decodeNode,
  FOREIGN_ROOTS,
  type Hash,
  META_SCHEMA_HASH,
  refs,
  schemaProblemMessage,
  validate,
  verifyEncoded,
  violationMessage,
} from "@uncaged/json-cas";
import { NODE_LIMIT } from "../store/index.js";
import { createHashTable, type HashTable } from "../table.js";
import {
  exportLines,
  type Header,
  LINE_LIMIT,
  type Line,
  type NodeLine,
  parseEnd,
  parseEntry,
  parseHeader,
  parseNodeLine,
  refuse,
  sha256,
  sha256Of,
} from "./format.js";
import type { CheckedExport, ExportEntry } from "./types.js";

/** Bytes of the longest line: a node of the greatest size in base64. */
const LONGEST_LINE = Math.ceil(NODE_LIMIT / 3) * 4 + 1024;

const NODE_START = '{"hash":"';

type Structure = {
  readonly header: Header;
  readonly entries: readonly ExportEntry[];
  readonly table: HashTable;
  /** Where the first node's line begins in the file, and its number. */
  readonly nodesAt: number;
  readonly sha256: string;
};

/** First pass over a file: position and form of every line, every checksum, the counts. Keeps 8 bytes per node. */
function checkStructure(fd: number, file: string): Structure {
  const lines = exportLines(fd, file, 0, LONGEST_LINE);
  const sum = sha256();
  const header = readHeader(lines, sum.update);
  const entries: ExportEntry[] = [];
  const hashes = createHashTable();
  let nodes = 0;
  let [nodesAt, end]: [number | null, string | null] = [null, null];
  for (const line of lines) {
    if (end !== null) refuse(line.number, "something follows the end");
    if (isNode(line)) {
      nodesAt ??= line.offset;
      hashes.add(nodeIn(line).hash);
      nodes += 1;
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
  checkCounts(header, entries.length, nodes);
  return { header, entries, table: hashes, nodesAt: nodesAt ?? 0, sha256: end };
}

/** The node in a line; its checksum is right. */
function nodeIn(line: Line): NodeLine {
  const node = parseNodeLine(textOf(line));
  if (node === null) return refuse(line.number, "it is not a node of an export");
  if (node.bytes.length > NODE_LIMIT) refuse(line.number, `the node is larger than ${NODE_LIMIT} bytes`);
  if (sha256Of(node.bytes) !== node.sha256) refuse(line.number, `the checksum of node ${node.hash} is wrong`);
  return node;
}

function isNode(line: Line): boolean {
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
  return parseEntry(textOf(line)) ?? refuse(line.number, "it is not an entry of an export");
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

/** Schemas that are kept while nodes are checked; validators of as many are kept by json-cas. */
const TYPES_KEPT = 256;

/**
 * Checks a complete file as earlier versions have written it, lines of JSON: form, checksums, each node's bytes, hash and schema, that each node appears once, and
 * that no reference is missing. Holds 17 bytes per node in memory. Throws `ExportFileError`, or `IO_FAILED`.
 */
export function checkExport(fd: number, file: string, close: () => void): CheckedExport {
  const structure = checkStructure(fd, file);
  const { header, entries, table } = structure;
  const offsets = new Float64Array(table.size()).fill(-1);
  const get = (hash: Hash): CasNode | null => {
    const offset = offsets[table.placeOf(hash)] ?? -1;
    return offset === -1 ? null : nodeAt(fd, file, offset);
  };
  const reader = { get: rememberTypes(get) };
  const has = (hash: Hash): boolean => (offsets[table.placeOf(hash)] ?? -1) !== -1;
  for (const line of nodeLines(fd, file, structure)) {
    const { hash, node } = decoded(line);
    if (has(hash)) refuse(null, `node ${hash} appears twice`);
    const add = (): void => {
      offsets[table.placeOf(hash)] = line.offset;
    };
    checkInPlace({ ...reader, has }, hash, node, add);
  }
  const absent = header.roots.find((root) => !has(root));
  if (absent !== undefined) refuse(null, `its root ${absent} is not in it`);
  const each: CheckedExport["each"] = (visit) => {
    for (const line of nodeLines(fd, file, structure)) {
      const { hash, bytes } = decoded(line);
      visit(hash, bytes);
    }
  };
  const { roots, nodes } = header;
  return { roots, entries, nodes, sha256: structure.sha256, hashes: table, get, each, close };
}

/** Whether a node may stand where it stands: `has` are the nodes before it, and `add` makes it one of them. */
export function checkInPlace(
  reader: Reader & { readonly has: (hash: Hash) => boolean },
  hash: Hash,
  node: CasNode,
  add: () => void,
): void {
  // A node that is its own type is looked up while it is checked.
  if (node.type === hash) add();
  else if (!reader.has(node.type) && !FOREIGN_ROOTS.has(node.type))
    refuse(null, `the type ${node.type} of node ${hash} does not come before it`);
  checkContent(reader, hash, node);
  const missing = refs(reader, node).find((reference) => !reader.has(reference));
  if (missing !== undefined) refuse(null, `node ${hash} refers to ${missing}, which does not come before it`);
  add();
}

type Reader = { readonly get: (hash: Hash) => CasNode | null };

function checkContent(reader: Reader, hash: Hash, node: CasNode): void {
  const schemaProblems = node.type === META_SCHEMA_HASH ? checkSchema(node.payload) : [];
  if (schemaProblems.length > 0)
    refuse(
      null,
      `node ${hash} is not a valid schema: ${schemaProblems.map(schemaProblemMessage).join("; ")}`,
    );
  const violations = orRefuse(hash, () => validate(reader, node));
  if (violations.length > 0)
    refuse(null, `node ${hash} violates its schema: ${violations.map(violationMessage).join("; ")}`);
}

/** The type is in the file but holds no schema. */
function orRefuse<T>(hash: Hash, act: () => T): T {
  try {
    return act();
  } catch (error) {
    return refuse(
      null,
      `node ${hash} cannot be checked: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
}

function* nodeLines(fd: number, file: string, { nodesAt, header }: Structure): Generator<Line> {
  if (header.nodes === 0) return;
  let left = header.nodes;
  for (const line of exportLines(fd, file, nodesAt, LONGEST_LINE)) {
    yield line;
    left -= 1;
    if (left === 0) return;
  }
  refuse(null, "it was changed while it was read");
}

function nodeAt(fd: number, file: string, offset: number): CasNode | null {
  for (const line of exportLines(fd, file, offset, LONGEST_LINE)) return decoded(line).node;
  return null;
}

/** Checks again on every read, because another process may change the file in the meantime. */
function decoded(line: Line): NodeLine & { readonly node: CasNode } {
  if (!isNode(line)) refuse(null, "it was changed while it was read");
  const found = nodeIn(line);
  return { ...found, node: nodeOf(found.hash, found.bytes) };
}

/** The node in bytes that say to be it. */
export function nodeOf(hash: Hash, bytes: Uint8Array): CasNode {
  const node = decodedOrRefused(hash, bytes);
  if (verifyEncoded(hash, node, bytes)) return node;
  const problem = builtInTypes.has(hash) ? "is not the built-in type with this hash" : "has another hash";
  return refuse(null, `node ${hash} ${problem}`);
}

function decodedOrRefused(hash: Hash, bytes: Uint8Array): CasNode {
  try {
    return decodeNode(bytes);
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    return refuse(null, `node ${hash} is damaged: ${error.message}`);
  }
}

export function rememberTypes(get: (hash: Hash) => CasNode | null): (hash: Hash) => CasNode | null {
  const kept = new Map<Hash, CasNode | null>();
  return (hash) => {
    const known = kept.get(hash);
    if (known !== undefined) return known;
    if (kept.size >= TYPES_KEPT) kept.clear();
    const node = get(hash);
    kept.set(hash, node);
    return node;
  };
}
