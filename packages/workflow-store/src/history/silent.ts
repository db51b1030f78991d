import { closeSync, fstatSync, readSync, type Stats, statSync } from "node:fs";
import { ioFault, openRegular } from "@uncaged/json-cas-fs";
import type { ThreadId } from "@uncaged/workflow-protocol";
import { attempt } from "../attempt/index.js";

/** Files up to this many bytes (some 2,000 threads, 1 ms) are checked whole even when one thread is asked for. */
const CHECKED_WHOLE = 256 * 1024;

/** Read at once: a hundred thousand ended threads are 13 MB, which a step need not hold. */
const PIECE = 256 * 1024;

const BACKSLASH = 0x5c;
const NUL = 0;

/** The last file that was silent, and about whom: a step asks three times, and mostly nothing has been written between. */
let last = { path: "", thread: "", version: "" };

/**
 * Whether a history file is large and certainly holds no line of the thread: its id stands nowhere in it, and nothing is
 * escaped, so that it cannot be spelled in another way. A file with NUL in it, as a crash of the machine may leave it, is
 * never silent; neither is one that is missing or cannot be read.
 */
export function isSilentAbout(path: string, thread: ThreadId): boolean {
  const silent = attempt(() => {
    try {
      return isSilent(path, thread);
    } catch (error) {
      throw ioFault("read", path, error);
    }
  });
  return silent.ok && silent.value;
}

function isSilent(path: string, thread: ThreadId): boolean {
  if (!isLarge(statSync(path, { throwIfNoEntry: false }))) return false;
  const fd = openRegular(path, "followed");
  try {
    const stat = fstatSync(fd);
    if (!isLarge(stat)) return false;
    const version = versionOf(stat);
    if (last.path === path && last.thread === thread && last.version === version) return true;
    if (mentions(fd, Buffer.from(thread))) return false;
    last = { path, thread, version };
    return true;
  } finally {
    closeSync(fd);
  }
}

/** Most histories are not there yet or small: one look tells, without an open file or a failure. */
function isLarge(stat: Stats | undefined): boolean {
  return stat !== undefined && stat.size > CHECKED_WHOLE;
}

/** The file only grows; a person may write it anew, or change it in place. */
function versionOf({ dev, ino, size, mtimeMs }: Stats): string {
  return [dev, ino, size, mtimeMs].join(" ");
}

function mentions(fd: number, id: Buffer): boolean {
  const overlap = id.length - 1;
  const piece = Buffer.allocUnsafeSlow(PIECE);
  let kept = 0;
  for (;;) {
    const read = readSync(fd, piece, kept, PIECE - kept, null);
    if (read === 0) return false;
    const bytes = piece.subarray(0, kept + read);
    if (bytes.includes(id) || bytes.includes(BACKSLASH) || bytes.includes(NUL)) return true;
    // An id may begin in this piece and end in the next.
    kept = Math.min(overlap, bytes.length);
    piece.copyWithin(0, bytes.length - kept, bytes.length);
  }
}
