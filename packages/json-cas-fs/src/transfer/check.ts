import {
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
import { refuse } from "./error.js";
import type { NodeLine } from "./format.js";
import { exportLines, type Line } from "./lines.js";
import { checkStructure, isNode, LONGEST_LINE, nodeIn, type Structure } from "./structure.js";
import type { CheckedExport } from "./types.js";

/** Schemas that are kept while nodes are checked; validators of as many are kept by json-cas. */
const TYPES_KEPT = 256;

/**
 * Checks a whole file: form, checksums, each node's bytes, hash and schema, that each node stands once, and that nothing
 * that is referred to is missing. Holds 17 bytes per node in memory. Throws `ExportFileError`, or `IO_FAILED`.
 */
export function checkExport(fd: number, file: string, close: () => void): CheckedExport {
  const structure = checkStructure(fd, file);
  const { header, entries, table } = structure;
  const offsets = new Float64Array(table.size).fill(-1);
  const get = (hash: Hash): CasNode | null => {
    const offset = offsets[table.placeOf(hash)] ?? -1;
    return offset === -1 ? null : nodeAt(fd, file, offset);
  };
  const reader = { get: rememberTypes(get) };
  const has = (hash: Hash): boolean => (offsets[table.placeOf(hash)] ?? -1) !== -1;
  for (const line of nodeLines(fd, file, structure)) {
    const { hash, node } = decoded(line);
    if (has(hash)) refuse(null, `node ${hash} stands there twice`);
    // A node that is its own type is looked up while it is checked.
    if (node.type === hash) offsets[table.placeOf(hash)] = line.offset;
    else if (!has(node.type) && !FOREIGN_ROOTS.has(node.type))
      refuse(null, `the type ${node.type} of node ${hash} does not stand before it`);
    checkContent(reader, hash, node);
    const missing = refs(reader, node).find((reference) => !has(reference));
    if (missing !== undefined)
      refuse(null, `node ${hash} refers to ${missing}, which does not stand before it`);
    offsets[table.placeOf(hash)] = line.offset;
  }
  const absent = header.roots.find((root) => !has(root));
  if (absent !== undefined) refuse(null, `its root ${absent} is not in it`);
  const each = (visit: (hash: Hash, node: CasNode) => void): void => {
    for (const line of nodeLines(fd, file, structure)) {
      const { hash, node } = decoded(line);
      visit(hash, node);
    }
  };
  return { roots: header.roots, entries, nodes: header.nodes, sha256: structure.sha256, get, each, close };
}

type Reader = { readonly get: (hash: Hash) => CasNode | null };

function checkContent(reader: Reader, hash: Hash, node: CasNode): void {
  const schemaProblems = node.type === META_SCHEMA_HASH ? checkSchema(node.payload) : [];
  if (schemaProblems.length > 0)
    refuse(null, `node ${hash} is no valid schema: ${schemaProblems.map(schemaProblemMessage).join("; ")}`);
  const violations = orRefuse(hash, () => validate(reader, node));
  if (violations.length > 0)
    refuse(null, `node ${hash} violates its schema: ${violations.map(violationMessage).join("; ")}`);
}

/** The type stands in the file and yet holds no schema. */
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

/** Checked again whenever it is read: somebody may change the file meanwhile. */
function decoded(line: Line): { readonly hash: Hash; readonly node: CasNode } {
  if (!isNode(line)) refuse(null, "it was changed while it was read");
  const { hash, bytes } = nodeIn(line);
  const node = nodeOf(hash, bytes);
  if (!verifyEncoded(hash, node, bytes)) refuse(null, `node ${hash} has another hash`);
  return { hash, node };
}

function nodeOf(hash: Hash, bytes: NodeLine["bytes"]): CasNode {
  try {
    return decodeNode(bytes);
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    return refuse(null, `node ${hash} is damaged: ${error.message}`);
  }
}

function rememberTypes(get: (hash: Hash) => CasNode | null): (hash: Hash) => CasNode | null {
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
