import { crc32, deflateSync, inflateSync } from "node:zlib";

// A row of a PNG is written as its difference from the row above it, so the rows below can be left out.

const SIGNATURE = 8;

type Chunk = { readonly type: string; readonly data: Buffer };

/** The upper part of a picture that is not interlaced, so many rows of pixels. */
export function upperPart(png: Uint8Array, rows: number): Uint8Array {
  const all = chunksOf(Buffer.from(png));
  const header = Buffer.from(all[0]?.data ?? []);
  const pixels = inflateSync(
    Buffer.concat(all.filter(({ type }) => type === "IDAT").map(({ data }) => data)),
  );
  const height = header.readUInt32BE(4);
  const kept = Math.min(rows, height);
  header.writeUInt32BE(kept, 4);
  const data = deflateSync(pixels.subarray(0, (pixels.length / height) * kept), { level: 9 });
  const others = all.filter(({ type }) => !["IHDR", "IDAT", "IEND"].includes(type));
  const chunks = [
    { type: "IHDR", data: header },
    ...others,
    { type: "IDAT", data },
    { type: "IEND", data: Buffer.alloc(0) },
  ];
  return Buffer.concat([Buffer.from(png.subarray(0, SIGNATURE)), ...chunks.map(written)]);
}

function chunksOf(png: Buffer): readonly Chunk[] {
  const chunks: Chunk[] = [];
  for (let at = SIGNATURE; at < png.length; ) {
    const length = png.readUInt32BE(at);
    const type = png.toString("latin1", at + 4, at + 8);
    chunks.push({ type, data: png.subarray(at + 8, at + 8 + length) });
    at += 12 + length;
  }
  return chunks;
}

function written({ type, data }: Chunk): Buffer {
  const named = Buffer.concat([Buffer.from(type, "latin1"), data]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc32(named));
  return Buffer.concat([length, named, sum]);
}
