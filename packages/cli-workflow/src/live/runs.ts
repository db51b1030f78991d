import { statSync } from "node:fs";
import { listedThread, readPsItem, runAt } from "@uncaged/workflow-engine";
import { type Fault, ok, type Result, type ThreadId, type ThreadPsItem } from "@uncaged/workflow-protocol";
import {
  type FoundRun,
  findRuns,
  findThread,
  type ListedThread,
  listLocks,
  readHead,
  type Storage,
  threadRunsPath,
  threadsWithRuns,
} from "@uncaged/workflow-store";
import type { Redactor } from "@uncaged/workflow-util";
import type { LiveRun, LostRun } from "./printer.js";
import { lastLineOf } from "./view.js";

/** Looks between two readings of a thread of which nothing is seen to change: a time passes, or another thread moves. */
const UNCHANGED_LOOKS = 25;

type KnownThread = { readonly stamp: string; readonly listed: ListedThread; readonly looks: number };

/**
 * Whether threads have ended, and what they wait for. A thread is read again when its folder has changed or the log has told
 * of it (`isTouched`): what has ended may be a large file.
 */
export function listedReader(
  storage: Storage,
): (thread: ThreadId, isTouched: boolean) => Promise<Result<ListedThread, Fault>> {
  const known = new Map<ThreadId, KnownThread>();
  return async (thread, isTouched) => {
    const stamp = readStamp(threadRunsPath(storage, thread));
    const before = known.get(thread);
    const looks = (before?.looks ?? 0) + 1;
    if (before?.stamp === stamp && !isTouched && looks % UNCHANGED_LOOKS !== 0) {
      known.set(thread, { ...before, looks });
      return ok(before.listed);
    }
    const state = await findThread(storage, thread);
    const listed = state.ok ? await listedThread(storage, state.value) : state;
    if (listed.ok) known.set(thread, { stamp, listed: listed.value, looks });
    return listed;
  };
}

/** Changes when a run begins or ends, and when hold.json, pause.json or `ending` comes or goes. */
function readStamp(folder: string): string {
  const found = statSync(folder, { throwIfNoEntry: false });
  return found === undefined ? "" : `${found.ino} ${found.mtimeMs}`;
}

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
      const gone = run === null ? undefined : await readGone(storage, thread);
      if (run === null || gone === undefined) {
        known.delete(thread);
        continue;
      }
      const item = before ? null : await readItem(storage, thread);
      if (item !== null) begun.set(run.token, item);
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

/** Which processes of the run of a thread are gone; `undefined`: it has no run at its head, or that cannot be read. */
async function readGone(storage: Storage, thread: ThreadId): Promise<LiveRun["gone"] | undefined> {
  const head = await readHead(storage, thread);
  if (!head.ok || head.value === null) return undefined;
  const run = runAt(storage, { thread, head: head.value });
  if (!run.ok) return undefined;
  const { running, leftRun } = run.value;
  if (running !== null) return running.uwf === "dead" ? "uwf" : null;
  return leftRun === null ? undefined : "both";
}

/** A run that has just been found, as `ps` prints it. */
async function readItem(storage: Storage, thread: ThreadId): Promise<ThreadPsItem | null> {
  const item = await readPsItem(storage, thread);
  return item.ok && item.value?.run != null ? item.value : null;
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
