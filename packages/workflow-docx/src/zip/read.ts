import { crc32, inflateRawSync } from "node:zlib";
import { refuse } from "../fault.js";
import { LIMITS } from "../limits.js";
import { dataOf, type Entry, readDirectory } from "./directory.js";

/** The parts of a document by their names, in the order of the zip. Every limit is checked before anything is inflated. */
export function readZip(bytes: Uint8Array): ReadonlyMap<string, Uint8Array> {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const { entries, start: directory } = readDirectory(file);
  assertNamesDiffer(entries);
  assertSizes(entries);
  const places = entries.map((entry) => ({ entry, ...dataOf(file, entry) }));
  const inOrder = [...places].sort((a, b) => a.entry.header - b.entry.header);
  inOrder.forEach(({ entry, end }, index) => {
    if (end > (inOrder[index + 1]?.entry.header ?? directory)) refuse("DOCX_OVERLAP", { part: entry.name });
  });
  const parts = new Map<string, Uint8Array>();
  for (const { entry, start, end } of places) {
    const content = unpack(entry, file.subarray(start, end));
    // A folder.
    if (!entry.name.endsWith("/")) parts.set(entry.name, content);
    else if (content.length > 0) refuse("DOCX_NAME", { part: JSON.stringify(entry.name) });
  }
  return parts;
}

function assertNamesDiffer(entries: readonly Entry[]): void {
  const seen = new Set<string>();
  for (const { name } of entries) {
    const folded = name.toLowerCase().replace(/\/$/, "");
    if (seen.has(folded)) refuse("DOCX_DUPLICATE", { part: name });
    seen.add(folded);
  }
}

function assertSizes(entries: readonly Entry[]): void {
  let all = 0;
  for (const { name, packed, size, method } of entries) {
    const limit = isXml(name) ? LIMITS.xml : LIMITS.inflated;
    if (size > limit) refuse("DOCX_BOMB", { part: name, bytes: size, limit });
    const most = Math.max(packed * LIMITS.ratio, LIMITS.ratioFrom);
    if (size > most) refuse("DOCX_BOMB", { part: name, bytes: size, limit: most });
    if (method === "stored" && size !== packed) refuse("DOCX_SIZE", { part: name });
    all += size;
    if (all > LIMITS.inflated) refuse("DOCX_BOMB", { part: name, bytes: all, limit: LIMITS.inflated });
  }
}

export function isXml(name: string): boolean {
  return /\.(xml|rels)$/i.test(name);
}

function unpack({ name, method, size, crc }: Entry, packed: Buffer): Uint8Array {
  const content = method === "stored" ? packed : inflate(name, packed, size);
  if (content.length !== size) refuse("DOCX_SIZE", { part: name });
  if (crc32(content) !== crc) refuse("DOCX_CHECKSUM", { part: name });
  return content;
}

function inflate(name: string, packed: Buffer, size: number): Buffer {
  try {
    // It stops at the size that the zip has promised.
    return inflateRawSync(packed, { maxOutputLength: Math.max(size, 1) });
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ERR_BUFFER_TOO_LARGE")
      refuse("DOCX_SIZE", { part: name });
    return refuse("DOCX_DAMAGED", { reason: `${name} cannot be inflated` });
  }
}
