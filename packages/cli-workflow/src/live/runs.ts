import type { ThreadId, ThreadPsItem } from "@uncaged/workflow-protocol";
import { type FoundRun, findRuns, listLocks, type Storage, threadsWithRuns } from "@uncaged/workflow-store";
import type { Redactor } from "@uncaged/workflow-util";
import { readPsItem } from "../holders.js";
import { lastLineOf } from "./last-line.js";
import type { LiveRun } from "./types.js";

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
};

/** Looks at the runs under way of some threads. What cannot be read is no run: other commands say why. */
export function runsReader(
  storage: Storage,
  redactor: Redactor,
): (isMeant: (thread: ThreadId) => boolean) => Promise<RunsLook> {
  const known = new Map<ThreadId, Known>();
  let looks = 0;
  return async (isMeant) => {
    const begun = new Map<string, ThreadPsItem>();
    const held = heldThreads(storage);
    const left = looks === 0 ? threadsWithRuns(storage) : null;
    const threads = new Set([...known.keys(), ...held, ...(left?.ok ? left.value : [])]);
    for (const thread of [...threads].filter(isMeant).sort()) {
      const run = newestRun(storage, thread);
      const isNew = known.get(thread)?.token !== run?.token;
      if (run !== null && !isNew && (held.has(thread) || looks % SELDOM !== 0)) continue;
      const item = run === null ? null : await runningItem(storage, thread);
      if (run === null || item === null) known.delete(thread);
      else if (isNew) {
        known.set(thread, knownRun(thread, run, redactor));
        begun.set(run.token, item);
      }
    }
    looks += 1;
    const runs = [...known.values()].map(({ lastLine, ...run }) => ({ ...run, lastLine: lastLine() }));
    const between = [...held].filter((thread) => isMeant(thread) && !known.has(thread));
    return { runs, between, begun };
  };
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

async function runningItem(storage: Storage, thread: ThreadId): Promise<ThreadPsItem | null> {
  const item = await readPsItem(storage, thread);
  return item.ok && item.value?.run != null ? item.value : null;
}

function knownRun(thread: ThreadId, run: FoundRun, redactor: Redactor): Known {
  const { role, attempt, startedAt: since } = run.record;
  return { thread, token: run.token, role, attempt, since, lastLine: lastLineOf(run, redactor) };
}
