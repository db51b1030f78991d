import { closeSync, constants, fstatSync, readdirSync, readSync } from "node:fs";
import { join } from "node:path";
import { openPlace, pathOf } from "./descend.js";
import { refusal } from "./refusal.js";
import type { Answered, Found, Place } from "./types.js";

/** Larger ones are for grep and sed, in bytes. */
const LARGEST = 8 * 1024 * 1024;

/** The text of a file, or the names in a folder. */
export function readPlace(place: Place): Answered<Found> {
  try {
    const fd = openPlace(place, constants.O_RDONLY, false);
    try {
      return readOpen(fd, place);
    } finally {
      closeSync(fd);
    }
  } catch (error) {
    return refusal(place.path, error);
  }
}

function readOpen(fd: number, { root, path }: Place): Answered<Found> {
  const stat = fstatSync(fd);
  if (stat.isDirectory()) {
    return { ok: true, value: { kind: "folder", names: namesIn(pathOf({ fd, path: join(root, path) })) } };
  }
  if (!stat.isFile()) return { ok: false, reason: `${path} is no regular file` };
  const bytes = readUpTo(fd, LARGEST + 1);
  const size = bytes.byteLength;
  if (size > LARGEST)
    return { ok: false, reason: `${path} has more than ${LARGEST} bytes; read parts of it with grep or sed` };
  if (bytes.includes(0))
    return { ok: false, reason: `${path} is no text: it has ${size} bytes, NUL among them` };
  return { ok: true, value: { kind: "file", text: bytes.toString("utf8") } };
}

function namesIn(folder: string): readonly string[] {
  const entries = readdirSync(folder, { withFileTypes: true });
  return entries.map((entry) => (entry.isDirectory() ? `${entry.name}/` : entry.name)).sort();
}

/** The size that a file tells is not always that of its content (/proc, a file that grows). */
function readUpTo(fd: number, limit: number): Buffer {
  const parts: Buffer[] = [];
  for (let size = 0; size < limit; ) {
    const part = Buffer.alloc(Math.min(limit - size, 256 * 1024));
    const read = readSync(fd, part, 0, part.length, null);
    if (read === 0) break;
    parts.push(part.subarray(0, read));
    size += read;
  }
  return Buffer.concat(parts);
}
