import { existsSync } from "node:fs";
import { readPsItem } from "@uncaged/workflow-engine";
import type { ThreadId, ThreadPsItem } from "@uncaged/workflow-protocol";
import {
  type FoundRun,
  findRuns,
  listLocks,
  readHead,
  type Storage,
  threadsWithRuns,
} from "@uncaged/workflow-store";
import type { Redactor } from "@uncaged/workflow-util";
import { lastLineOf } from "./last-line.js";
import type { LiveRun, LostRun } from "./types.js";

// Whether a process of a run lives is a search through all processes. So a run whose uwf holds its thread is taken for one
// that runs; one that has lost its uwf is looked for only now and then. There can be none of those that was not here
// before: its uwf held the thread.

/** Looks between two searches for the processes of a run without its uwf. */
const SELDOM = 10;

type Known = Omit<LiveRun, "lastLine"> & { readonly token: string; readonly lastLine: () => string };

export type RunsLook = {
  readonly runs: readonly LiveRun[];
  readonly between: readonly ThreadId[];
  /** Those that were not there at the last look, by token. */
  readonly begun: ReadonlyMap<string, ThreadPsItem>;
  /** Those that have lost their uwf, or their agent too, since the last look. */
  readonly lost: readonly LostRun[];
};

/** Looks at the runs under way of some threads. What cannot be read is no run: other commands say why. */
export function runsReader(
  storage: Storage,
  redactorFor: (thread: ThreadId) => Redactor,
): (isMeant: (thread: ThreadId) => boolean) => Promise<RunsLook> {
  const known = new Map<ThreadId, Known>();
  let looks = 0;
  return async (isMeant) => {
    const begun = new Map<string, ThreadPsItem>();
    const lost: LostRun[] = [];
    // Before the runs: a process removes its run before it releases the thread.
    const held = heldThreads(storage);
    const left = looks === 0 ? threadsWithRuns(storage) : null;
    const threads = new Set([...known.keys(), ...held, ...(left?.ok ? left.value : [])]);
    for (const thread of [...threads].filter(isMeant).sort()) {
      const run = newestRun(storage, thread);
      const before = run === null || known.get(thread)?.token !== run.token ? null : known.get(thread);
      if (before && isAsBefore(before, held.has(thread)) && looks % SELDOM !== 0) continue;
      if (before?.gone === null && held.has(thread)) continue;
      const found = run === null ? null : await classifyLost(storage, thread, run);
      if (run === null || found === null) {
        known.delete(thread);
        continue;
      }
      const { item, gone } = found;
      if (!before && item !== null) begun.set(run.token, item);
      const { role } = run.record;
      if (gone !== null && gone !== before?.gone) lost.push({ thread, role, gone });
      known.set(
        thread,
        before ? { ...before, gone } : knownRun(thread, run, { redactor: redactorFor(thread), gone }),
      );
    }
    looks += 1;
    const runs = [...known.values()].map(({ lastLine, ...run }) => ({ ...run, lastLine: lastLine() }));
    const between = [...held].filter((thread) => isMeant(thread) && !known.has(thread));
    return { runs, between, begun, lost };
  };
}

/** Whether its uwf is there, or not, as it was at the last look. */
function isAsBefore({ gone }: Known, isHeld: boolean): boolean {
  return (gone === null) === isHeld;
}

type Judged = { readonly item: ThreadPsItem | null; readonly gone: LiveRun["gone"] };

/** Which processes of a run are still there; `null`: it is over, or cannot be read. */
async function classifyLost(storage: Storage, thread: ThreadId, run: FoundRun): Promise<Judged | null> {
  const item = await readPsItem(storage, thread);
  if (!item.ok) return null;
  const working = item.value?.run == null ? null : item.value;
  const gone = working === null ? "both" : working.uwf === null ? "uwf" : null;
  if (gone !== null && !existsSync(run.dir)) return null;
  if (gone !== "both") return { item: working, gone };
  // The step of a run of an older head is recorded.
  const head = await readHead(storage, thread);
  return head.ok && head.value === run.record.head ? { item: null, gone } : null;
}

function heldThreads(storage: Storage): ReadonlySet<ThreadId> {
  const locks = listLocks(storage);
  const held = (locks.ok ? locks.value : []).flatMap((lock) =>
    lock.kind === "thread" && lock.holder.judgement !== "dead" ? [lock.thread] : [],
  );
  return new Set(held);
}

function newestRun(storage: Storage, thread: ThreadId): FoundRun | null {
  const runs = findRuns(storage, thread);
  return (runs.ok ? runs.value.at(-1) : null) ?? null;
}

function knownRun(
  thread: ThreadId,
  run: FoundRun,
  { redactor, gone }: { readonly redactor: Redactor; readonly gone: LiveRun["gone"] },
): Known {
  const { role, attempt, startedAt: since } = run.record;
  return { thread, token: run.token, role, attempt, since, gone, lastLine: lastLineOf(run, redactor) };
}
