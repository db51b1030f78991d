import { readSync } from "node:fs";
import {
  builtInTypes,
  CasError,
  type CasNode,
  checkSchema,
  DecodeError,
  decodeNode,
  encodeNode,
  FOREIGN_ROOTS,
  type Hash,
  type JsonObject,
  META_SCHEMA_HASH,
  refs,
  type Store,
  schemaProblemMessage,
  validate,
  verifyEncoded,
  violationMessage,
} from "@uncaged/json-cas";
import { guarded } from "./files/index.js";
import { MAGIC_LENGTH, PACK_MAGIC, packOutput, scanPack } from "./pack/index.js";
import { createFsStore, fsStoreFile, readNext } from "./store/index.js";
import { createHashTable, createOrder } from "./table.js";

/** What an export names besides nodes: records of the program that uses the store, opaque here. */
export type ExportEntry = JsonObject;

export type ExportFigures = {
  readonly nodes: number;
  readonly entries: number;
  /** Of the complete file. */
  readonly bytes: number;
  /** Of everything before it: it is the end of the file. */
  readonly sha256: string;
};

/** A file that has been checked from its first byte to its last. */
export type CheckedExport = {
  readonly roots: readonly Hash[];
  readonly entries: readonly ExportEntry[];
  readonly nodes: number;
  readonly sha256: string;
  /** A node of the file; `null` when it is not in it. */
  readonly get: (hash: Hash) => CasNode | null;
  /** Every node's hash. */
  readonly hashes: ReadonlySet<Hash>;
  /** Every node's bytes, each after its type and everything that it refers to; valid until the visit returns. */
  readonly each: (visit: (hash: Hash, bytes: Uint8Array) => void) => void;
  readonly close: () => void;
};

/** A file that is not an export, or is incomplete or altered; `reason` says where and why. Nothing was written. */
export class ExportFileError extends Error {
  readonly reason: string;
  constructor(reason: string) {
    super(reason);
    this.name = "ExportFileError";
    this.reason = reason;
  }
}

function refuse(reason: string): never {
  throw new ExportFileError(reason);
}

/**
 * Checks a complete file: form, checksum, each node's bytes, hash and schema, that each node appears once, and that it
 * comes after what it refers to. Holds the hashes in memory. Throws `ExportFileError`, or `IO_FAILED`.
 */
export function checkExport(fd: number, file: string, close: () => void): CheckedExport {
  const magic = Buffer.alloc(MAGIC_LENGTH);
  guarded("read", file, () => readSync(fd, magic, 0, MAGIC_LENGTH, 0));
  if (magic.toString("latin1") !== PACK_MAGIC) refuse("it is not an export of json-cas");
  const places = new Map<Hash, { readonly offset: number; readonly length: number }>();
  const has = (hash: Hash): boolean => places.has(hash);
  const get = (hash: Hash): CasNode | null => {
    const place = places.get(hash);
    if (place === undefined) return null;
    const bytes = Buffer.alloc(place.length);
    guarded("read", file, () => readSync(fd, bytes, 0, bytes.length, place.offset));
    return nodeOf(hash, bytes);
  };
  const reader = { get, has };
  const scanned = scanPack(fd, file, true, (hash, bytes, offset) => {
    if (has(hash)) refuse(`node ${hash} appears twice`);
    checkInPlace(reader, hash, nodeOf(hash, bytes), () => places.set(hash, { offset, length: bytes.length }));
  });
  const { footer, damage } = scanned;
  if (footer === null || damage !== null) return refuse(damage ?? "its end is not that of a pack");
  const absent = footer.roots.find((root) => !has(root));
  if (absent !== undefined) refuse(`its root ${absent} is not in it`);
  const digest = scanned.sha256;
  const each: CheckedExport["each"] = (visit) => {
    const again = scanPack(fd, file, true, visit);
    if (again.damage !== null || !again.sha256.equals(digest)) refuse("it was changed while it was read");
  };
  const { nodes, roots, entries } = footer;
  return {
    roots,
    entries,
    nodes,
    sha256: digest.toString("hex"),
    hashes: new Set(places.keys()),
    get,
    each,
    close,
  };
}

/** Whether a node may stand where it stands: `has` are the nodes before it, and `add` makes it one of them. */
function checkInPlace(
  reader: Reader & { readonly has: (hash: Hash) => boolean },
  hash: Hash,
  node: CasNode,
  add: () => void,
): void {
  // A node that is its own type is looked up while it is checked.
  if (node.type === hash) add();
  else if (!reader.has(node.type) && !FOREIGN_ROOTS.has(node.type))
    refuse(`the type ${node.type} of node ${hash} does not come before it`);
  checkContent(reader, hash, node);
  const missing = refs(reader, node).find((reference) => !reader.has(reference));
  if (missing !== undefined) refuse(`node ${hash} refers to ${missing}, which does not come before it`);
  add();
}

type Reader = { readonly get: (hash: Hash) => CasNode | null };

function checkContent(reader: Reader, hash: Hash, node: CasNode): void {
  const schemaProblems = node.type === META_SCHEMA_HASH ? checkSchema(node.payload) : [];
  if (schemaProblems.length > 0)
    refuse(`node ${hash} is not a valid schema: ${schemaProblems.map(schemaProblemMessage).join("; ")}`);
  const violations = orRefuse(hash, () => validate(reader, node));
  if (violations.length > 0)
    refuse(`node ${hash} violates its schema: ${violations.map(violationMessage).join("; ")}`);
}

/** The type is in the file but holds no schema. */
function orRefuse<T>(hash: Hash, act: () => T): T {
  try {
    return act();
  } catch (error) {
    return refuse(
      `node ${hash} cannot be checked: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
}

/** The node in bytes that say to be it. */
function nodeOf(hash: Hash, bytes: Uint8Array): CasNode {
  const node = decodedOrRefused(hash, bytes);
  if (verifyEncoded(hash, node, bytes)) return node;
  const problem = builtInTypes.has(hash) ? "is not the built-in type with this hash" : "has another hash";
  return refuse(`node ${hash} ${problem}`);
}

function decodedOrRefused(hash: Hash, bytes: Uint8Array): CasNode {
  try {
    return decodeNode(bytes);
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    return refuse(`node ${hash} is damaged: ${error.message}`);
  }
}

/**
 * Writes everything that the roots reach through references and types as a pack, piece by piece: each node after what it
 * refers to, in an order that depends on nothing but the nodes and the roots, so the same ones give the same bytes. It
 * reads no other node. Throws `NODE_MISSING` for a root and `NODE_DAMAGED` for anything that an import would refuse; what
 * has been written by then is not a valid export.
 */
export function exportNodes(
  dir: string,
  roots: readonly Hash[],
  entries: readonly ExportEntry[],
  write: (piece: Uint8Array) => void,
): ExportFigures {
  const store = createFsStore(dir);
  for (const root of roots) {
    if (!store.has(root)) throw new CasError({ code: "NODE_MISSING", hash: root, referrer: null });
  }
  const output = packOutput(write);
  const table = createHashTable();
  const next = (place: number): readonly number[] => {
    const hash = table.hashAt(place);
    const found = readNext(store, hash);
    if ("damage" in found) throw damaged(dir, hash, found.damage);
    const missing = found.next.find((reference) => table.placeOf(reference) === -1 && !store.has(reference));
    if (missing !== undefined) throw damaged(dir, missing, `does not exist (referred to by ${hash})`);
    return found.next.map(table.add);
  };
  const order = createOrder(next, (place) => {
    const hash = table.hashAt(place);
    output.add(hash, readNodeBytes(dir, store, hash));
  });
  const named = [...new Set(roots)].sort();
  for (const root of named) order(table.add(root));
  const { sha256, size } = output.end(entries, named);
  return { nodes: table.size(), entries: entries.length, bytes: size, sha256: sha256.toString("hex") };
}

function readNodeBytes(dir: string, store: Store, hash: Hash): Uint8Array {
  const node = store.get(hash);
  if (node === null) throw damaged(dir, hash, "it vanished");
  const problem = validate(store, node).map(violationMessage).join("; ");
  if (problem !== "") throw damaged(dir, hash, `it violates its schema: ${problem}`);
  return encodeNode(node);
}

function damaged(dir: string, hash: Hash, reason: string): CasError {
  return new CasError({ code: "NODE_DAMAGED", hash, file: fsStoreFile(dir, hash), reason });
}
