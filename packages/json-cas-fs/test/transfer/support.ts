import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Hash, JsonObject } from "@uncaged/json-cas";
import { type ExportEntry, ExportFileError, exportNodes, importNodes, openExport } from "../../src/index.js";
import { sha256Of } from "../../src/transfer/format.js";
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

export function exported(dir: string, roots: readonly Hash[], entries: readonly ExportEntry[] = []): string {
  let text = "";
  exportNodes(dir, roots, entries, (piece) => {
    text += piece;
  });
  return text;
}

export function fileOf(text: string | Uint8Array): string {
  const file = join(temporaryDir(), "export.jsonl");
  writeFileSync(file, text);
  return file;
}

export function imported(dir: string, text: string | Uint8Array): { readonly added: number } {
  const file = openExport(fileOf(text));
  try {
    return importNodes(dir, file, Date.now);
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
