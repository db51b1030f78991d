import { closeSync, constants, fstatSync, ftruncateSync, openSync } from "node:fs";
import { dirname, join } from "node:path";
import { isLink } from "@uncaged/json-cas-fs";
import { type CasRef, type Fault, ok, type Result, type ThreadId } from "@uncaged/workflow-protocol";
import type { OpenHistory } from "../chain.js";
import { quietly, readDerived, removeBoth, writeAt } from "../files.js";
import { type CacheContent, type CacheLocation, type KnownPast, parseCache } from "./format.js";

// <cache>/history/<thread>.json   the cached history
// <cache>/history/<thread>.new    the same while it is written anew; what a crash leaves is replaced by the next
//
// Nothing is synced: what a power cut leaves is a document that is whole, or one that its seal does not fit.

/** Windows knows none of the last two. NONBLOCK: opening a named pipe must not wait for a reader. */
const WRITE = constants.O_WRONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOFOLLOW ?? 0);

export function cacheFile({ paths }: CacheLocation, thread: ThreadId): string {
  return join(paths.cache, "history", `${thread}.json`);
}

/** Whether none of the cache's folders that exist is a link: nothing is changed behind one. */
export function isOurs(storage: CacheLocation, thread: ThreadId): boolean {
  return !isLink(storage.paths.cache) && !isLink(dirname(cacheFile(storage, thread)));
}

/** Replaces the end of an existing regular file. */
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

/** Removes what the cache has of a thread that ends, if that is possible: what stays is harmless. */
export function forgetHistory(storage: CacheLocation, thread: ThreadId): void {
  quietly(() => {
    if (isOurs(storage, thread)) removeBoth(cacheFile(storage, thread));
  });
}

/**
 * A history, as far as the thread's cache has it from the cache, the rest from its nodes. A cache that is absent or
 * not to be used is none; what is wrong about the nodes that are read is `CHAIN_DAMAGED`.
 */
export function knownPast(
  storage: CacheLocation,
  thread: ThreadId,
  { start, since }: Pick<OpenHistory, "start" | "since">,
): Result<KnownPast, Fault> {
  const cached = contentOf(storage, thread, start.hash);
  const at = placeOf(cached);
  const rest = since((hash) => at(hash) !== null);
  if (!rest.ok) return rest;
  const { known, steps } = rest.value;
  const count = known === null ? 0 : (at(known) ?? 0);
  const kept = { seal: count === 0 ? null : cached.seal, steps: count, of: cached.steps.length };
  return ok({ known: cached.steps.slice(0, count), since: steps, kept });
}

const NOTHING = { hashes: [], steps: [], seal: null } as const;

function contentOf(storage: CacheLocation, thread: ThreadId, start: CasRef): CacheContent | typeof NOTHING {
  const bytes = quietly(() => readDerived(cacheFile(storage, thread)));
  return (bytes === null ? null : parseCache(bytes, start)) ?? NOTHING;
}

/**
 * How many steps there are up to a hash, `null` for a step that is not among them. Mostly it is the last one, or the
 * one before.
 */
function placeOf({ hashes }: Pick<CacheContent, "hashes">): (hash: CasRef) => number | null {
  return (hash) => {
    const index = hashes.lastIndexOf(hash);
    return index === -1 ? null : index + 1;
  };
}
