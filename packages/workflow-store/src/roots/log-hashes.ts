import { closeSync, openSync, readSync } from "node:fs";
import { isHash } from "@uncaged/json-cas";
import { errnoOf, ioFault } from "@uncaged/json-cas-fs";
import type { CasRef } from "@uncaged/workflow-protocol";

const CHUNK = 256 * 1024;

/** A whole string of JSON that is a hash, as `step`, `raw` and `head` are. In a torn line too: a log is only looked at. */
const QUOTED = /"([0-9A-F][0-9A-HJKMNP-TV-Z]{12})"/g;

/** A quoted hash that a chunk may end within. */
const OVERLAP = 14;

/** Tells the hashes in a log from a byte on; gives where to go on the next time. Throws `CasError` `IO_FAILED`. */
export function tellLogHashes(file: string, from: number, tell: (hash: CasRef) => void): number {
  let fd: number;
  try {
    fd = openSync(file, "r");
  } catch (error) {
    // Cleared away since the folder was listed.
    if (errnoOf(error) === "ENOENT") return from;
    throw ioFault("read", file, error);
  }
  try {
    return tellFrom(fd, from, tell);
  } catch (error) {
    throw ioFault("read", file, error);
  } finally {
    closeSync(fd);
  }
}

function tellFrom(fd: number, from: number, tell: (hash: CasRef) => void): number {
  const buffer = Buffer.allocUnsafe(CHUNK);
  let position = Math.max(0, from - OVERLAP);
  for (;;) {
    const read = readSync(fd, buffer, 0, CHUNK, position);
    for (const [, hash] of buffer.toString("latin1", 0, read).matchAll(QUOTED)) if (isHash(hash)) tell(hash);
    position += read;
    if (read < CHUNK) return position;
    position -= OVERLAP;
  }
}
