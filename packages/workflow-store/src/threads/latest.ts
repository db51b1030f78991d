import { err, type Fault, fault, ok, type Result, type ThreadId } from "@uncaged/workflow-protocol";
import { attempt } from "../attempt.js";
import { folderNames } from "../files.js";
import { logDays, recentEntries } from "../logs.js";
import { readFolder } from "../runs/index.js";
import type { Storage } from "../storage.js";
import { readFamily } from "./children.js";
import type { ThreadList } from "./types.js";

/** What a person types for the newest thread of the current folder. No id has an L. */
export const LATEST = "latest";

/**
 * The newest thread that was started in a folder, and by no other thread. One that has ended counts: `kill latest` must
 * not hit an older one. Its folder is gone with its runs, but the line about its start names it.
 */
export function findLatest(
  storage: Storage,
  { ids, ended }: Pick<ThreadList, "ids" | "ended">,
  folder: string,
): Result<ThreadId, Fault> {
  const family = readFamily(storage);
  if (!family.ok) return family;
  const own = ids.filter((thread) => family.value.parentOf(thread) === null);
  const active = attempt(() => newestWithFolder(storage, own, folder));
  if (!active.ok) return active;
  const newer = new Set(own.filter((thread) => ended(thread) && thread > (active.value ?? "")));
  const over = newer.size === 0 ? ok(null) : newestOfLog(storage, newer, folder);
  if (!over.ok) return over;
  const latest = over.value ?? active.value;
  return latest === null ? err(fault("NO_LATEST_THREAD", { folder })) : ok(latest);
}

function newestWithFolder(storage: Storage, ids: readonly ThreadId[], folder: string): ThreadId | null {
  const there = new Set(folderNames(storage.paths.runs));
  const isHere = (thread: ThreadId): boolean => {
    const kept = there.has(thread) ? readFolder(storage, thread) : ok(null);
    return kept.ok && kept.value === folder;
  };
  return ids.findLast(isHere) ?? null;
}

/** Of these ended threads the newest one that was started in a folder, as far as the end of the log tells. */
function newestOfLog(
  storage: Storage,
  ended: ReadonlySet<ThreadId>,
  folder: string,
): Result<ThreadId | null, Fault> {
  const days = logDays(storage, null);
  if (!days.ok) return days;
  return attempt(() => {
    let newest: ThreadId | null = null;
    for (const { thread, line } of recentEntries(days.value, ['"event":"started"', '"event":"forked"'])) {
      if (thread === null || line.cwd !== folder || !ended.has(thread)) continue;
      if (newest === null || thread > newest) newest = thread;
    }
    return newest;
  });
}
