import { refuse } from "../fault.js";
import { LIMITS } from "../limits.js";

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
export type Directory = { readonly entries: readonly Entry[]; readonly start: number };

/** Reads the directory of a zip. Nothing is inflated. */
export function readDirectory(file: Buffer): Directory {
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
