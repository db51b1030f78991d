import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Hash } from "@uncaged/json-cas";
import { type ExportEntry, ExportFileError, exportNodes, importNodes, openExport } from "../../src/index.js";
import { packOutput } from "../../src/pack/index.js";
import { person, storeWithType } from "../support/store.js";
import { temporaryDir } from "../support/temp.js";

/** Bob → Ada, Cy → Ada and Bob's type; nothing refers to Eve. */
export async function friends() {
  const { dir, store, type } = await storeWithType();
  const ada = await store.put(type, person("Ada"));
  const bob = await store.put(type, person("Bob", ada));
  const cy = await store.put(type, person("Cy", bob));
  const eve = await store.put(type, person("Eve"));
  return { dir, store, type, ada, bob, cy, eve };
}

export function exported(dir: string, roots: readonly Hash[], entries: readonly ExportEntry[] = []): Buffer {
  const pieces: Buffer[] = [];
  exportNodes(dir, roots, entries, (piece) => pieces.push(Buffer.from(piece)));
  return Buffer.concat(pieces);
}

/** A pack of these nodes, in this order, whose checksum is right. */
export function packed(nodes: readonly (readonly [Hash, Uint8Array])[], roots: readonly Hash[] = []): Buffer {
  const pieces: Buffer[] = [];
  const output = packOutput((piece) => pieces.push(Buffer.from(piece)));
  for (const [hash, bytes] of nodes) output.add(hash, bytes);
  output.end([], roots);
  return Buffer.concat(pieces);
}

/** The hashes of a pack, in its order. */
export function hashesIn(pack: Uint8Array): readonly Hash[] {
  const file = openExport(fileOf(pack));
  const hashes: Hash[] = [];
  file.each((hash) => hashes.push(hash));
  file.close();
  return hashes;
}

export function fileOf(text: string | Uint8Array): string {
  const file = join(temporaryDir(), "export.pack");
  writeFileSync(file, text);
  return file;
}

export async function imported(dir: string, text: string | Uint8Array): Promise<{ readonly added: number }> {
  const file = openExport(fileOf(text));
  try {
    return await importNodes(dir, file, Date.now);
  } finally {
    file.close();
  }
}

/** Why a text is refused; `null` when it is not. */
export function refusal(text: string | Uint8Array): string | null {
  try {
    openExport(fileOf(text)).close();
    return null;
  } catch (error) {
    if (error instanceof ExportFileError) return error.reason;
    throw error;
  }
}
