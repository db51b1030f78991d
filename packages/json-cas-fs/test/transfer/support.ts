import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { encodeNode, type Hash, type JsonObject } from "@uncaged/json-cas";
import {
  createFsStore,
  type ExportEntry,
  ExportFileError,
  exportNodes,
  importNodes,
  openExport,
} from "../../src/index.js";
import { endLine, entryLine, headerLine, nodeLine, sha256Of } from "../../src/transfer/format.js";
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

/** The same as earlier versions wrote it: lines of JSON. */
export async function exportedAsLines(
  dir: string,
  roots: readonly Hash[],
  entries: readonly ExportEntry[] = [],
): Promise<string> {
  const store = createFsStore(dir);
  const hashes = hashesIn(exported(dir, roots));
  const nodes = hashes.map((hash) => {
    const bytes = encodeNode(store.get(hash)!);
    return nodeLine({ hash, sha256: sha256Of(bytes), bytes });
  });
  const header = headerLine({ nodes: nodes.length, entries: entries.length, roots });
  const body = [header, ...entries.map(entryLine), ...nodes].join("");
  return `${body}${endLine(sha256Of(Buffer.from(body)))}`;
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

export type Lines = { header: JsonObject; entries: string[]; nodes: string[] };

/** The lines of an export, changed, with a checksum of the whole that is right again. */
export function forged(text: string, change: (lines: Lines) => void): string {
  const all = text.trimEnd().split("\n");
  const entries = all.filter((line) => line.startsWith('{"entry"'));
  const nodes = all.filter((line) => line.startsWith('{"hash"'));
  const lines: Lines = { header: JSON.parse(all[0] ?? ""), entries, nodes };
  change(lines);
  const body = [JSON.stringify(lines.header), ...lines.entries, ...lines.nodes]
    .map((line) => `${line}\n`)
    .join("");
  return `${body}${JSON.stringify({ end: true, sha256: sha256Of(Buffer.from(body)) })}\n`;
}

/** A line of a node of these bytes, with a checksum that is right. */
export function lineOf(hash: string, bytes: Uint8Array): string {
  return JSON.stringify({ hash, sha256: sha256Of(bytes), node: Buffer.from(bytes).toString("base64") });
}
