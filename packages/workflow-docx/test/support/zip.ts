import { crc32, deflateRawSync } from "node:zlib";

/** A part of a zip, with what is to be wrong about it. */
export type RawEntry = {
  readonly name: string | Buffer;
  readonly content: Uint8Array;
  readonly stored?: boolean;
  readonly flags?: number;
  readonly method?: number;
  /** What the directory says instead of the truth. */
  readonly size?: number;
  readonly crc?: number;
  /** The packed bytes instead of the right ones. */
  readonly data?: Buffer;
  /** The name in the part's own header, instead of the same. */
  readonly ownName?: string;
  /** The size in the part's own header. */
  readonly ownSize?: number;
  /** Upper half of the external attributes: the mode on Unix. */
  readonly mode?: number;
  /** Take the header of this entry for one's own. */
  readonly sharedWith?: number;
};

/** A zip made byte by byte, so that it can lie. */
export function rawZip(entries: readonly RawEntry[], comment = ""): Buffer {
  const files: Buffer[] = [];
  const lines: Buffer[] = [];
  const offsets: number[] = [];
  let offset = 0;
  for (const entry of entries) {
    const name = Buffer.isBuffer(entry.name) ? entry.name : Buffer.from(entry.name);
    const stored = entry.stored ?? false;
    const data = entry.data ?? (stored ? Buffer.from(entry.content) : deflateRawSync(entry.content));
    const method = entry.method ?? (stored ? 0 : 8);
    const crc = entry.crc ?? crc32(entry.content);
    const size = entry.size ?? entry.content.length;
    const header = Buffer.alloc(30);
    const ownName = entry.ownName === undefined ? name : Buffer.from(entry.ownName);
    header.writeUInt32LE(0x04034b50, 0);
    header.writeUInt16LE(20, 4);
    header.writeUInt16LE(entry.flags ?? 0, 6);
    header.writeUInt16LE(method, 8);
    header.writeUInt32LE(crc, 14);
    header.writeUInt32LE(data.length, 18);
    header.writeUInt32LE(entry.ownSize ?? size, 22);
    header.writeUInt16LE(ownName.length, 26);
    const line = Buffer.alloc(46);
    line.writeUInt32LE(0x02014b50, 0);
    line.writeUInt16LE(20, 6);
    line.writeUInt16LE(entry.flags ?? 0, 8);
    line.writeUInt16LE(method, 10);
    line.writeUInt32LE(crc, 16);
    line.writeUInt32LE(data.length, 20);
    line.writeUInt32LE(size, 24);
    line.writeUInt16LE(name.length, 28);
    line.writeUInt16LE(entry.mode ?? 0, 40);
    line.writeUInt32LE(entry.sharedWith === undefined ? offset : (offsets[entry.sharedWith] ?? 0), 42);
    lines.push(Buffer.concat([line, name]));
    offsets.push(offset);
    if (entry.sharedWith !== undefined) continue;
    files.push(header, ownName, data);
    offset += 30 + ownName.length + data.length;
  }
  const directory = Buffer.concat(lines);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(entries.length, 8);
  end.writeUInt16LE(entries.length, 10);
  end.writeUInt32LE(directory.length, 12);
  end.writeUInt32LE(offset, 16);
  end.writeUInt16LE(comment.length, 20);
  return Buffer.concat([...files, directory, end, Buffer.from(comment)]);
}
