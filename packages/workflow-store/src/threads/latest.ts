import {
  err,
  eventText,
  type Fault,
  fault,
  ok,
  type Result,
  readEvent,
  type ThreadId,
} from "@uncaged/workflow-protocol";
import { attempt } from "../attempt.js";
import { projectFolders } from "../documents/index.js";
import { folderNames } from "../files.js";
import { logDays, recentEntries } from "../logs.js";
import { readWorkFolder } from "../runs/index.js";
import type { Storage } from "../storage.js";
import { readFamily } from "./children.js";
import type { ThreadList } from "./types.js";

/** The word by which a person names the newest thread of the current folder. No id contains an L. */
export const LATEST = "latest";

/**
 * The newest thread that was started in a folder, and by no other thread; where there is none, in the nearest folder above
 * it that belongs to the same project. One that has ended counts: `kill latest` must not hit an older one. Its folder is
 * gone with its runs, but the line about its start names it.
 */
export function findLatest(
  storage: Storage,
  { ids, ended }: Pick<ThreadList, "ids" | "ended">,
  folder: string,
): Result<ThreadId, Fault> {
  const family = readFamily(storage);
  if (!family.ok) return family;
  const own = ids.filter((thread) => family.value.parentOf(thread) === null);
  const places = projectFolders(folder);
  const active = attempt(() => newestWithFolder(storage, own, places));
  if (!active.ok) return active;
  const over = new Set(own.filter((thread) => ended(thread) && isNewer(thread, active.value)));
  const logged = over.size === 0 ? ok(null) : newestOfLog(storage, over, places);
  if (!logged.ok) return logged;
  const latest = nearer(active.value, logged.value);
  return latest === null ? err(fault("NO_LATEST_THREAD", { folder })) : ok(latest.thread);
}

/** `distance`: how many folders above the caller's. */
type Started = { readonly thread: ThreadId; readonly distance: number };

/** Only these can count: beside a thread of the very folder no older one does. */
function isNewer(thread: ThreadId, active: Started | null): boolean {
  return active === null || active.distance > 0 || thread > active.thread;
}

function nearer(one: Started | null, other: Started | null): Started | null {
  if (one === null || other === null) return one ?? other;
  if (one.distance !== other.distance) return one.distance < other.distance ? one : other;
  return one.thread > other.thread ? one : other;
}

function newestWithFolder(
  storage: Storage,
  ids: readonly ThreadId[],
  places: readonly string[],
): Started | null {
  const there = new Set(folderNames(storage.paths.runs));
  let best: Started | null = null;
  for (const thread of [...ids].reverse()) {
    const kept = there.has(thread) ? readWorkFolder(storage, thread) : ok(null);
    const distance = kept.ok && kept.value !== null ? places.indexOf(kept.value) : -1;
    if (distance === 0) return { thread, distance };
    if (distance > 0) best = nearer(best, { thread, distance });
  }
  return best;
}

/** Of these ended threads the one that counts, as far as the end of the log tells. */
function newestOfLog(
  storage: Storage,
  ended: ReadonlySet<ThreadId>,
  places: readonly string[],
): Result<Started | null, Fault> {
  const days = logDays(storage, null);
  if (!days.ok) return days;
  return attempt(() => {
    let best: Started | null = null;
    for (const { thread, line } of recentEntries(days.value, [eventText("started"), eventText("forked")])) {
      const event = readEvent(line);
      const cwd = event?.kind === "started" || event?.kind === "forked" ? event.cwd : null;
      const distance = cwd === null ? -1 : places.indexOf(cwd);
      if (thread !== null && distance !== -1 && ended.has(thread)) best = nearer(best, { thread, distance });
    }
    return best;
  });
}
