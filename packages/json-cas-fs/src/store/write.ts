import { lstatSync, renameSync, utimesSync } from "node:fs";
import {
  CasError,
  type CasNode,
  encode,
  encodeAround,
  type Hash,
  type JsonValue,
  putNode,
} from "@uncaged/json-cas";
import {
  AT_ONCE,
  createFileExclusive,
  errnoOf,
  guarded,
  ioFault,
  replaceFile,
  type Syncs,
  temporaryPath,
} from "../files/index.js";
import { fsStoreFile } from "./folder.js";
import type { FormatGuard } from "./format.js";
import { announce } from "./index-lines.js";
import { findPacked, NODE_LIMIT } from "./read.js";

// Order of a write: the index line and its fsync, a temporary file and its fsync, link without clobbering, fsync of the
// folder. A crash leaves an index line that leads nowhere or a temporary file, both of which readers pass over; never a
// node that is cut short, and never one that its index does not name. Several nodes that are written together take each
// of these together (`batch.ts`).

/** Where nodes are written, and when they become durable. */
export type NodeFolder = { readonly dir: string; readonly format: FormatGuard; readonly syncs: Syncs };

/** Writes a new node durably; `false` when another writer was faster. */
export function createNode(place: NodeFolder, hash: Hash, node: CasNode, payloadBytes: Uint8Array): boolean {
  const file = fsStoreFile(place.dir, hash);
  const bytes = encodeWithin(node, payloadBytes);
  return writeIndexed(place, hash, node.type, () => createFileExclusive(file, bytes, place.syncs));
}

/** Writes a node over a damaged one. */
export function replaceNode(place: NodeFolder, hash: Hash, node: CasNode): void {
  const file = fsStoreFile(place.dir, hash);
  const bytes = encodeWithin(node, encode(node.payload));
  // It has its name at once: the line may not wait for others.
  writeIndexed({ ...place, syncs: AT_ONCE }, hash, node.type, () => {
    renameFolder(file);
    replaceFile(file, bytes, null);
  });
}

/**
 * Makes an existing node as good as a newly written one: its writer may not have synced the folder yet, and gc
 * goes by the file's time. `now` returns epoch ms.
 */
export function confirmNode(place: NodeFolder, now: () => number, hash: Hash, node: CasNode): void {
  const found = refreshNode(place, now, hash);
  if (found === "packed") createNode({ ...place, syncs: AT_ONCE }, hash, node, encode(node.payload));
  if (found === "gone") replaceNode(place, hash, node);
}

/**
 * Sets the time of a node's own file to `now` (epoch ms). `packed`: it has none, and must be written again, for in its pack
 * it has no time of its own; with a second line in the index too, for gc may have taken both away since it was found.
 * `gone`: collected in the meantime, or another user's file whose time cannot be set, in whose place we write our own.
 */
export function refreshNode(
  { dir, syncs }: NodeFolder,
  now: () => number,
  hash: Hash,
): "done" | "packed" | "gone" {
  const file = fsStoreFile(dir, hash);
  const seconds = now() / 1000;
  try {
    utimesSync(file, seconds, seconds);
    syncs.folder(dir);
    return "done";
  } catch (error) {
    const errno = errnoOf(error);
    if (errno !== "ENOENT" && errno !== "EPERM") throw ioFault("refresh", file, error);
    return errno === "ENOENT" && findPacked(dir, hash) !== null ? "packed" : "gone";
  }
}

/** What comes before a node's file: its line in the index. */
function writeIndexed<T>({ dir, format, syncs }: NodeFolder, hash: Hash, type: Hash, write: () => T): T {
  format.ensure();
  const line = announce(dir, type, [hash], syncs);
  try {
    const written = write();
    line.confirm();
    return written;
  } finally {
    line.close();
  }
}

/** Throws `NOT_STORABLE` for more bytes than a node may have. */
export function encodeWithin(node: CasNode, payloadBytes: Uint8Array): Uint8Array {
  const bytes = encodeAround(node, payloadBytes);
  if (bytes.length > NODE_LIMIT) throw tooLarge(bytes.length);
  return bytes;
}

/** rename(2) replaces anything but a folder, which is not a node but must not be deleted either. */
export function renameFolder(file: string): void {
  guarded("replace", file, () => {
    const isFolder = lstatSync(file, { throwIfNoEntry: false })?.isDirectory() ?? false;
    if (isFolder) renameSync(file, temporaryPath(file));
  });
}

function tooLarge(size: number): CasError {
  const reason = `as a node it has ${size} bytes, the limit is ${NODE_LIMIT}`;
  return new CasError({ code: "NOT_STORABLE", path: "", reason });
}

type WriteTarget = {
  readonly place: NodeFolder;
  readonly get: (hash: Hash) => CasNode | null;
  readonly lacks: (hash: Hash) => boolean;
  /** Epoch ms. */
  readonly now: () => number;
};

/** `put` of the store in a folder: everything is checked before the first byte is written. */
export function putInto({ place, get, lacks, now }: WriteTarget, type: Hash, payload: JsonValue): Hash {
  const backend = {
    get,
    lacks,
    create: createNode.bind(null, place),
    replace: replaceNode.bind(null, place),
    confirm: confirmNode.bind(null, place, now),
    now,
  };
  return putNode(backend, type, payload);
}
