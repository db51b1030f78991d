import { closeSync, fstatSync, readSync } from "node:fs";
import { errnoOf, ioFault, openRegular } from "@uncaged/json-cas-fs";

/** The last `limit` bytes of a file as text, without a character cut in half at the start; "" when there is none. Throws `IO_FAILED`. */
export function readTail(path: string, limit: number, links: "followed" | "refused" = "followed"): string {
  try {
    return tailText(openRegular(path, links), limit);
  } catch (error) {
    if (errnoOf(error) === "ENOENT") return "";
    throw ioFault("read", path, error);
  }
}

function tailText(file: number, limit: number): string {
  try {
    const { size } = fstatSync(file);
    const bytes = Buffer.alloc(Math.min(size, limit));
    const read = readSync(file, bytes, 0, bytes.length, size - bytes.length);
    return bytes.subarray(firstCharacter(bytes, size > limit), read).toString("utf8");
  } finally {
    closeSync(file);
  }
}

/** UTF-8 continuation bytes are 10xxxxxx: at most three of them belong to a character that began before the cut. */
function firstCharacter(bytes: Buffer, cut: boolean): number {
  let start = 0;
  while (cut && start < 3 && ((bytes[start] ?? 0) & 0xc0) === 0x80) start += 1;
  return start;
}
