import { crc32, deflateRawSync, inflateRawSync } from "node:zlib";
import { refuse } from "./fault.js";
import { LIMITS } from "./limits.js";

/** A line of the zip's directory. Offsets are from the start of the file, sizes in bytes. */
export type Entry = {
  readonly name: string;
  readonly method: "stored" | "deflated";
  readonly crc: number;
  readonly packed: number;
  readonly size: number;
  readonly header: number;
};

const HEADER = 0x04034b50;
const DIRECTORY = 0x02014b50;
const END = 0x06054b50;
const END_LENGTH = 22;
const CFB = "d0cf11e0a1b11ae1";

/** `start`: where it begins, which is where the data of the parts has to end. */
type Directory = { readonly entries: readonly Entry[]; readonly start: number };

/** Reads the directory of a zip. Nothing is inflated. */
function readDirectory(file: Buffer): Directory {
  if (file.length > LIMITS.file) refuse("DOCX_TOO_LARGE", { bytes: file.length, limit: LIMITS.file });
  assertZip(file);
  const end = findEnd(file);
  const count = file.readUInt16LE(end + 10);
  const length = file.readUInt32LE(end + 12);
  const start = file.readUInt32LE(end + 16);
  if (file.readUInt32LE(end + 4) !== 0 || file.readUInt16LE(end + 8) !== count)
    refuse("DOCX_ZIP_KIND", { reason: "it is split into several files" });
  if (count === 0xffff || length === 0xffffffff || start === 0xffffffff)
    refuse("DOCX_ZIP_KIND", { reason: "it is a zip64" });
  if (count > LIMITS.parts) refuse("DOCX_TOO_MANY_PARTS", { parts: count, limit: LIMITS.parts });
  if (start + length !== end) refuse("DOCX_DAMAGED", { reason: "its directory is not where it should be" });
  const entries: Entry[] = [];
  let at = start;
  for (let index = 0; index < count; index++) {
    if (at + 46 > end || file.readUInt32LE(at) !== DIRECTORY)
      refuse("DOCX_DAMAGED", { reason: "its directory has fewer lines than it says" });
    const next =
      at + 46 + file.readUInt16LE(at + 28) + file.readUInt16LE(at + 30) + file.readUInt16LE(at + 32);
    if (next > end) refuse("DOCX_DAMAGED", { reason: "a line of its directory is too long" });
    entries.push(readLine(file, at));
    at = next;
  }
  if (at !== end) refuse("DOCX_DAMAGED", { reason: "its directory has more than its lines" });
  return { entries, start };
}

function assertZip(file: Buffer): void {
  if (file.subarray(0, 8).toString("hex") === CFB) {
    if (file.includes(Buffer.from("EncryptedPackage", "utf16le"))) refuse("DOCX_PASSWORD", {});
    refuse("DOCX_LEGACY", {});
  }
  const magic = file.length < 4 ? 0 : file.readUInt32LE(0);
  if (magic !== HEADER && magic !== END) refuse("DOCX_NOT_ZIP", {});
}

/** The last record of the file, which may be followed by a comment of a length that it says. */
function findEnd(file: Buffer): number {
  const first = Math.max(0, file.length - END_LENGTH - 0xffff);
  for (let at = file.length - END_LENGTH; at >= first; at--) {
    if (file.readUInt32LE(at) === END && at + END_LENGTH + file.readUInt16LE(at + 20) === file.length)
      return at;
  }
  return refuse("DOCX_TRUNCATED", {});
}

function readLine(file: Buffer, at: number): Entry {
  const nameLength = file.readUInt16LE(at + 28);
  const raw = file.subarray(at + 46, at + 46 + nameLength);
  const name = raw.toString("utf8");
  const flags = file.readUInt16LE(at + 8);
  const method = file.readUInt16LE(at + 10);
  if (!Buffer.from(name, "utf8").equals(raw)) refuse("DOCX_NAME", { part: JSON.stringify(name) });
  assertName(name);
  // Bit 0: encrypted; bit 13: the names are.
  if ((flags & 0x2001) !== 0) refuse("DOCX_PASSWORD", {});
  if (method !== 0 && method !== 8)
    refuse("DOCX_ZIP_KIND", { reason: `${name} is packed by method ${method}` });
  // The upper half is the mode where the zip comes from Unix; 0xa000 is a symbolic link.
  if ((file.readUInt16LE(at + 40) & 0xf000) === 0xa000) refuse("DOCX_LINK", { part: name });
  const entry = {
    name,
    method: method === 0 ? ("stored" as const) : ("deflated" as const),
    crc: file.readUInt32LE(at + 16),
    packed: file.readUInt32LE(at + 20),
    size: file.readUInt32LE(at + 24),
    header: file.readUInt32LE(at + 42),
  };
  if ([entry.packed, entry.size, entry.header].includes(0xffffffff))
    refuse("DOCX_ZIP_KIND", { reason: "it is a zip64" });
  return entry;
}

function assertName(name: string): void {
  const part = JSON.stringify(name);
  if (name.includes("\\")) refuse("DOCX_NAME_BACKSLASH", { part });
  if (name.startsWith("/") || /^[a-z]:/i.test(name)) refuse("DOCX_NAME_ABSOLUTE", { part });
  if (name.split("/").includes("..")) refuse("DOCX_NAME_PARENT", { part });
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused
  if (name === "" || /[\0-\x1f\x7f\ufffd]|\/\/|(^|\/)\.(\/|$)/.test(name) || name.length > 512)
    refuse("DOCX_NAME", { part });
}

/** Where the bytes of an entry stand. Its own header has to say the same as the directory. */
export function dataOf(file: Buffer, entry: Entry): { readonly start: number; readonly end: number } {
  const { header: at, name } = entry;
  if (at + 30 > file.length || file.readUInt32LE(at) !== HEADER)
    refuse("DOCX_DAMAGED", { reason: `${name} is not where its directory says` });
  const start = at + 30 + file.readUInt16LE(at + 26) + file.readUInt16LE(at + 28);
  const end = start + entry.packed;
  if (end > file.length) refuse("DOCX_DAMAGED", { reason: `${name} goes beyond the end of the file` });
  const localName = file.subarray(at + 30, at + 30 + file.readUInt16LE(at + 26)).toString("utf8");
  if (localName !== name)
    refuse("DOCX_DAMAGED", { reason: `${name} calls itself ${JSON.stringify(localName)}` });
  const flags = file.readUInt16LE(at + 6);
  if ((flags & 1) !== 0) refuse("DOCX_PASSWORD", {});
  if (file.readUInt16LE(at + 8) !== (entry.method === "stored" ? 0 : 8))
    refuse("DOCX_DAMAGED", { reason: `${name} is said to be packed in two ways` });
  // Bit 3: the sizes follow the data, and the header may have none.
  const streamed = (flags & 8) !== 0 && file.readUInt32LE(at + 22) === 0;
  if (!streamed && (file.readUInt32LE(at + 18) !== entry.packed || file.readUInt32LE(at + 22) !== entry.size))
    refuse("DOCX_SIZE", { part: name });
  return { start, end };
}

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

/** 1 January 1980, midnight: the first that the format can say. */
const DATE = 0x0021;
/** Names are UTF-8. */
const FLAGS = 0x0800;
const VERSION = 20;

/** A zip with its parts in a fixed order and with a fixed time, so that equal parts give equal bytes. */
export function writeZip(parts: ReadonlyMap<string, Uint8Array>): Uint8Array {
  const names = [...parts.keys()].sort(byPlace);
  const files: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const name of names) {
    const content = parts.get(name) ?? new Uint8Array();
    const deflated = deflateRawSync(content);
    const isSmaller = deflated.length < content.length;
    const data = isSmaller ? deflated : Buffer.from(content);
    const fields = fieldsOf(content, data.length, isSmaller);
    const title = Buffer.from(name, "utf8");
    files.push(headerOf(fields, title), title, data);
    directory.push(lineOf(fields, title, offset), title);
    offset += 30 + title.length + data.length;
  }
  const lines = Buffer.concat(directory);
  return Buffer.concat([...files, lines, endOf(names.length, lines.length, offset)]);
}

/** The part that says what the others are comes first, as the standard recommends; then by code units. */
function byPlace(a: string, b: string): number {
  return rank(a) - rank(b) || (a < b ? -1 : 1);
}

function rank(name: string): number {
  return name === "[Content_Types].xml" ? 0 : name === "_rels/.rels" ? 1 : 2;
}

/** The 26 bytes that header and directory have in common. */
function fieldsOf(content: Uint8Array, packed: number, isDeflated: boolean): Buffer {
  const fields = Buffer.alloc(26);
  fields.writeUInt16LE(VERSION, 0);
  fields.writeUInt16LE(FLAGS, 2);
  fields.writeUInt16LE(isDeflated ? 8 : 0, 4);
  fields.writeUInt16LE(DATE, 8);
  fields.writeUInt32LE(crc32(content), 10);
  fields.writeUInt32LE(packed, 14);
  fields.writeUInt32LE(content.length, 18);
  return fields;
}

function headerOf(fields: Buffer, title: Buffer): Buffer {
  fields.writeUInt16LE(title.length, 22);
  return Buffer.concat([Buffer.from("PK\x03\x04", "latin1"), fields]);
}

function lineOf(fields: Buffer, title: Buffer, offset: number): Buffer {
  const rest = Buffer.alloc(14);
  rest.writeUInt32LE(offset, 10);
  fields.writeUInt16LE(title.length, 22);
  return Buffer.concat([Buffer.from("PK\x01\x02\x14\x00", "latin1"), fields, rest]);
}

function endOf(count: number, length: number, start: number): Buffer {
  const end = Buffer.alloc(22);
  end.write("PK\x05\x06", "latin1");
  end.writeUInt16LE(count, 8);
  end.writeUInt16LE(count, 10);
  end.writeUInt32LE(length, 12);
  end.writeUInt32LE(start, 16);
  return end;
}
