import {
  type CasRef,
  err,
  type Fault,
  fault,
  type HistoryLine,
  ok,
  type RemovedThread,
  type Result,
  type ThreadId,
} from "@uncaged/workflow-protocol";
import { type HistoryIndex, indexHistory } from "../archive.js";
import { readEnding, readHeads } from "../heads/index.js";
import { INDEX_WAIT_MS, withIndexLock } from "../locks.js";
import { appendRemoved } from "../removed.js";
import type { Storage } from "../storage.js";
import { descendantsOf, type Family, readFamily } from "./children.js";
import { claimThread, releaseClaim } from "./claim.js";

// A tree goes as a whole: its usage, its export and the picture of it have no holes. So the threads below a named one go
// with it, and a thread whose parent is there stays.
//
// All checks come first, under the index lock; then one write. In it newer threads come first, and so children before
// parents: if a crash cuts it, the same command finds the rest.

/**
 * Removes ended threads with everything below them, or none: `NOT_REMOVABLE` if one of them is active, or its parent is
 * there. Gives those that were there, oldest first. Takes the locks of threads whose archive is incomplete, then the
 * index lock.
 */
export async function removeThreads(
  storage: Storage,
  named: readonly ThreadId[],
): Promise<Result<readonly RemovedThread[], Fault>> {
  const family = readFamily(storage);
  if (!family.ok) return family;
  for (const thread of treesOf(family.value, named)) {
    const archived = await completeArchive(storage, thread);
    if (!archived.ok) return archived;
  }
  return withIndexLock(storage, async () => {
    const there = await look(storage);
    if (!there.ok) return there;
    const lines: HistoryLine[] = [];
    const going = treesOf(there.value.family, named);
    for (const thread of going) {
      const line = removable(there.value, thread, { going, isNamed: named.includes(thread) });
      if (!line.ok) return line;
      if (line.value !== null) lines.push(line.value);
    }
    const at = storage.now();
    const appended = appendRemoved(storage, lines, at);
    return appended.ok ? ok(lines.map(({ thread, head }) => ({ thread, head, at })).reverse()) : appended;
  });
}

/** Threads and those below them, newest first. */
function treesOf(family: Family, threads: readonly ThreadId[]): readonly ThreadId[] {
  const all = threads.flatMap((thread) => [thread, ...descendantsOf(family, thread)]);
  return [...new Set(all)].sort().reverse();
}

/** What a crash has left of an archive would bring a removed thread back: its `ending` is a gc root. */
async function completeArchive(storage: Storage, thread: ThreadId): Promise<Result<void, Fault>> {
  const ending = readEnding(storage, thread);
  if (!ending.ok || ending.value === null) return ending.ok ? ok(undefined) : ending;
  const claim = await claimThread(storage, thread, { waitMs: INDEX_WAIT_MS });
  if (claim.ok) return releaseClaim(claim.value);
  return claim.error.code === "THREAD_ENDED" ? ok(undefined) : claim;
}

type There = {
  readonly heads: ReadonlyMap<string, CasRef>;
  readonly history: HistoryIndex;
  readonly family: Family;
};

async function look(storage: Storage): Promise<Result<There, Fault>> {
  const heads = await readHeads(storage);
  if (!heads.ok) return heads;
  const history = indexHistory(storage, "");
  if (!history.ok) return history;
  const family = readFamily(storage);
  return family.ok ? ok({ heads: heads.value, history: history.value, family: family.value }) : family;
}

type RemovalContext = { readonly going: readonly ThreadId[]; readonly isNamed: boolean };

/** `null`: it is not there, because it was removed before, or because its start was cut short. */
function removable(
  { heads, history, family }: There,
  thread: ThreadId,
  { going, isNamed }: RemovalContext,
): Result<HistoryLine | null, Fault> {
  if (heads.has(thread)) return err(fault("NOT_REMOVABLE", { thread, parent: null }));
  const line = history.line(thread);
  if (line === null) {
    return isNamed && history.removal(thread) === null
      ? err(fault("THREAD_NOT_FOUND", { thread }))
      : ok(null);
  }
  const parent = family.parentOf(thread)?.parent ?? null;
  const stays = parent !== null && !going.includes(parent) && (heads.has(parent) || history.has(parent));
  return stays ? err(fault("NOT_REMOVABLE", { thread, parent })) : ok(line);
}
