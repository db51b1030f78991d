import { closeSync, constants, fstatSync, ftruncateSync, openSync } from "node:fs";
import { dirname, join } from "node:path";
import { isLink } from "@uncaged/json-cas-fs";
import type { ThreadId } from "@uncaged/workflow-protocol";
import { writeAt } from "../files/index.js";
import type { CachePlace } from "./types.js";

// <cache>/history/<thread>.json   the cached history
// <cache>/history/<thread>.new    the same while it is written anew; what a crash leaves is replaced by the next
//
// Nothing is synced: what a power cut leaves is a document that is whole, or one that its seal does not fit.

/** Windows knows none of the last two. NONBLOCK: opening a named pipe must not wait for a reader. */
const WRITE = constants.O_WRONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOFOLLOW ?? 0);

export function cacheFile({ paths }: CachePlace, thread: ThreadId): string {
  return join(paths.cache, "history", `${thread}.json`);
}

/** Whether the cache's folders, where they are there, are no links: nothing is changed behind one. */
export function isOurs(storage: CachePlace, thread: ThreadId): boolean {
  return !isLink(storage.paths.cache) && !isLink(dirname(cacheFile(storage, thread)));
}

/** Gives a regular file that is there another end. */
export function writeEnd(path: string, offset: number, bytes: Uint8Array): void {
  const fd = openSync(path, WRITE);
  try {
    const there = fstatSync(fd);
    if (!there.isFile()) return;
    writeAt(fd, offset, bytes);
    if (there.size > offset + bytes.length) ftruncateSync(fd, offset + bytes.length);
  } finally {
    closeSync(fd);
  }
}
