import { opendirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { type Hash, isHash } from "@uncaged/json-cas";
import { errnoOf, guarded, isTemporaryName } from "../files/index.js";

// <dir>/<HASH>.bin      one node, DAG-CBOR of {type, payload, timestamp}
// <dir>/pack/           nodes that were packed, see pack/format.ts
// <dir>/_index/<TYPE>   one hash per line: the nodes of that type; derived
// <dir>/<HASH>.aside    the same node, while gc takes it away (or was killed over it): still readable, see trash.ts
// <dir>/_format         version of this layout (format.ts); absent in an empty store and in those of before

const SUFFIX = ".bin";
const ASIDE = ".aside";

/** Where a store keeps the node of that hash. */
export function fsStoreFile(dir: string, hash: Hash): string {
  return join(dir, `${hash}${SUFFIX}`);
}

/** Where gc moves a node before it removes it. */
export function trashFile(dir: string, hash: Hash): string {
  return join(dir, `${hash}${ASIDE}`);
}

export function indexDir(dir: string): string {
  return join(dir, "_index");
}

export function indexFile(dir: string, type: Hash): string {
  return join(dir, "_index", type);
}

export function formatFile(dir: string): string {
  return join(dir, "_format");
}

/** The hash in a file name, `null` if it is not a node's. */
function hashOfFile(name: string): Hash | null {
  return hashBefore(SUFFIX, name);
}

/** The hash of a node that gc has set aside, from its file's name. */
function hashOfTrash(name: string): Hash | null {
  return hashBefore(ASIDE, name);
}

function hashBefore(suffix: string, name: string): Hash | null {
  if (!name.endsWith(suffix)) return null;
  const hash = name.slice(0, -suffix.length);
  return isHash(hash) ? hash : null;
}

/** What a name in the store's folder is. */
type FolderEntry =
  | { readonly kind: "node"; readonly hash: Hash }
  | { readonly kind: "temporary"; readonly name: string }
  /** A node that gc was about to remove. */
  | { readonly kind: "trash"; readonly hash: Hash }
  /** `_index`, `_format`, and any file that another program put there. */
  | { readonly kind: "other"; readonly name: string };

/** The hashes of all node files, in no order. A folder that is missing is empty. */
export function looseNodes(dir: string): readonly Hash[] {
  return readNames(dir).flatMap((name) => hashOfFile(name) ?? []);
}

/** Walks the folder entry by entry, in no order: it may hold more names than memory. */
export function* scanFolder(dir: string): Generator<FolderEntry> {
  const folder = guarded("read folder", dir, () => openFolder(dir));
  if (folder === null) return;
  try {
    for (;;) {
      const entry = guarded("read folder", dir, () => folder.readSync());
      if (entry === null) return;
      yield classify(entry.name);
    }
  } finally {
    folder.closeSync();
  }
}

/** The names in a folder; none when it is missing. */
export function readNames(dir: string): readonly string[] {
  return guarded("read folder", dir, () => {
    try {
      return readdirSync(dir);
    } catch (error) {
      if (errnoOf(error) === "ENOENT") return [];
      throw error;
    }
  });
}

function openFolder(dir: string) {
  try {
    return opendirSync(dir);
  } catch (error) {
    if (errnoOf(error) === "ENOENT") return null;
    throw error;
  }
}

function classify(name: string): FolderEntry {
  const hash = hashOfFile(name);
  if (hash !== null) return { kind: "node", hash };
  const trash = hashOfTrash(name);
  if (trash !== null) return { kind: "trash", hash: trash };
  return isTemporaryName(name) ? { kind: "temporary", name } : { kind: "other", name };
}
