import { closeSync, readSync } from "node:fs";
import { parseHash } from "@uncaged/json-cas";
import { errnoOf, ioFault, openRegular } from "@uncaged/json-cas-fs";
import type { CasRef } from "@uncaged/workflow-protocol";

const CHUNK = 256 * 1024;

/**
 * What may be a hash: the last 13 characters of a word. Not only a whole string of JSON, as `step` and `raw` are: an
 * agent's stdout stands in a log as `"…\nHASH\n"`, with the letter of an escape before it, and in either case. What is
 * as long as two, a thread's id, is none, and so is a time, the one number of 13 digits.
 */
const WORD_END =
  /[0-9A-Fa-f][0-9A-HJKMNP-TV-Za-hjkmnp-tv-z]{12}(?![0-9A-Za-z])(?<![0-9A-Za-z]{26}|":[0-9]{13})/g;

/** A hash that a chunk may end within. */
const OVERLAP = 14;

/**
 * Tells the hashes in a log from a byte on, in torn lines too: a log is only looked at. Gives where to go on the next
 * time. Throws `CasError` `IO_FAILED`.
 */
export function tellLogHashes(file: string, from: number, tell: (hash: CasRef) => void): number {
  let fd: number;
  try {
    fd = openRegular(file, "followed");
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
    for (const [word] of buffer.toString("latin1", 0, read).matchAll(WORD_END)) {
      const hash = parseHash(word);
      if (hash !== null) tell(hash);
    }
    position += read;
    if (read < CHUNK) return position;
    position -= OVERLAP;
  }
}
