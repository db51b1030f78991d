import { crc32, deflateRawSync } from "node:zlib";

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
