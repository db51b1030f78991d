import { join } from "node:path";
import { type Hash, isHash } from "@uncaged/json-cas";

// <dir>/<HASH>.bin      one node, DAG-CBOR of {type, payload, timestamp}
// <dir>/_index/<TYPE>   one hash per line: the nodes of that type; derived
// <dir>/<HASH>.aside    the same node, while gc takes it away (or was killed over it): still readable, see aside.ts
// <dir>/_format         version of this layout: "1"; absent in an empty store and in those of before

const SUFFIX = ".bin";
const ASIDE = ".aside";

/** Where a store keeps the node of that hash. */
export function fsStoreFile(dir: string, hash: Hash): string {
  if (dir !== last.dir) last = { dir, prefix: join(dir, "_").slice(0, -1) };
  return `${last.prefix}${hash}${SUFFIX}`;
}

/** A process works with one store, and putting its path in order takes as long as reading a node. */
let last = { dir: ".", prefix: "" };

/** Where gc moves a node before it removes it. */
export function asideFile(dir: string, hash: Hash): string {
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

/** The hash that a file name stands for, `null` when it is not a node's. */
export function hashOfFile(name: string): Hash | null {
  return hashBefore(SUFFIX, name);
}

/** The hash of a node that gc has set aside, from its file's name. */
export function hashOfAside(name: string): Hash | null {
  return hashBefore(ASIDE, name);
}

function hashBefore(suffix: string, name: string): Hash | null {
  if (!name.endsWith(suffix)) return null;
  const hash = name.slice(0, -suffix.length);
  return isHash(hash) ? hash : null;
}
