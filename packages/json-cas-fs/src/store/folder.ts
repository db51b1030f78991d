import { opendirSync, readdirSync } from "node:fs";
import type { Hash } from "@uncaged/json-cas";
import { errnoOf, guarded, isTemporaryName } from "../files/index.js";
import { hashOfAside, hashOfFile } from "./layout.js";

/** What a name in the store's folder is. */
export type FolderEntry =
  | { readonly kind: "node"; readonly hash: Hash }
  | { readonly kind: "temporary"; readonly name: string }
  /** A node that gc was about to remove. */
  | { readonly kind: "aside"; readonly hash: Hash }
  /** `_index`, `_format`, and whatever else somebody put there. */
  | { readonly kind: "other"; readonly name: string };

/** The hashes of all node files, sorted. A folder that is missing is empty. */
export function listNodes(dir: string): readonly Hash[] {
  const hashes: Hash[] = [];
  for (const name of namesOf(dir)) {
    const hash = hashOfFile(name);
    if (hash !== null) hashes.push(hash);
  }
  return hashes.sort();
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
export function namesOf(dir: string): readonly string[] {
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
  const aside = hashOfAside(name);
  if (aside !== null) return { kind: "aside", hash: aside };
  return isTemporaryName(name) ? { kind: "temporary", name } : { kind: "other", name };
}
