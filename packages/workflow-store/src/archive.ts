import { join } from "node:path";
import { parseHash } from "@uncaged/json-cas";
import { isLink } from "@uncaged/json-cas-fs";
import {
  type CasRef,
  type EndingRecord,
  type Fault,
  type HistoryLine,
  lastLine,
  ok,
  type Result,
  type ThreadId,
} from "@uncaged/workflow-protocol";
import { createEventLog, type EventLog } from "@uncaged/workflow-util";
import { attempt } from "./attempt.js";
import { type Chain, readChain } from "./chain.js";
import { readSession } from "./detail.js";
import { folderNames, removeTree } from "./files.js";
import { decideEnd, dropHead, ensureHistoryLine, stillHeld, type ThreadLock } from "./heads.js";
import { forgetHistory } from "./history-cache.js";
import { withIndexLock } from "./locks.js";
import { isRunLogged } from "./logged-runs.js";
import type { StepNode } from "./nodes.js";
import { type FoundRun, runDirOf, threadRunsPath } from "./run-dir.js";
import { type DamagedRun, removeRun, stdoutTail, surveyRuns } from "./runs.js";
import type { Storage } from "./storage.js";
import { readThreadRecord, threadRecordPath } from "./thread-records.js";

/**
 * Every run leaves a trace in the log: one that a thread still has at its end was of a uwf that is gone, since a living
 * one logs its run and removes it itself.
 */
function logLeftRuns(
  storage: Storage,
  thread: ThreadId,
  { head }: Pick<EndingRecord, "head">,
  log: EventLog,
): void {
  const found = surveyRuns(storage, thread);
  if (!found.ok) return;
  for (const run of found.value.damaged) logDamaged(log, run);
  if (found.value.runs.length === 0) return;
  // What cannot be read must not keep the thread from ending: its runs are abandoned ones then.
  const read = readChain(storage.cas, head);
  const left = { chain: read.ok ? read.value : null, code: "THREAD_ENDED" } as const;
  for (const run of found.value.runs) logLeftRun(storage, thread, run, left, log);
}

/** `chain`: the thread's; `code`: why a result that is not a step of it no longer counts. */
type Left = {
  readonly chain: Chain | null;
  readonly code: Extract<Fault["code"], "THREAD_ENDED" | "HEAD_MOVED">;
};

/** Logs a run that was left and that no step will take over any more, unless its own uwf has logged it. */
export function logLeftRun(
  storage: Storage,
  thread: ThreadId,
  run: FoundRun,
  { chain, code }: Left,
  log: EventLog,
): void {
  if (isRunLogged(storage, thread, run)) return;
  const { role } = run.record;
  const step = chain === null ? null : stepOf(chain, run);
  if (step === null) {
    log("D3W8KZ5H", `the run as ${role} was abandoned by its uwf and no longer counts`, "abandoned", {
      ...common(run),
      code,
      usage: null,
    });
    return;
  }
  const session = readSession(storage.cas, step.payload.detail);
  const usage = session.ok ? (session.value?.usage ?? null) : null;
  log("P5J1XQ8W", `${role} recorded as ${step.hash} by a uwf that died before it could report it`, "step", {
    ...common(run),
    late: true,
    step: step.hash,
    usage: usage === null ? null : { ...usage },
  });
}

/** The thread's step right after the run's head, if the run printed that step's hash; else `null`. */
function stepOf({ start, steps }: Chain, run: FoundRun): StepNode | null {
  const at = [start, ...steps].findIndex(({ hash }) => hash === run.record.head);
  const next = at === -1 ? undefined : steps[at];
  const stdout = attempt(() => stdoutTail(run) ?? "");
  const printed = parseHash((stdout.ok ? lastLine(stdout.value) : null) ?? "");
  return next !== undefined && next.hash === printed ? next : null;
}

function common({ token, record: { role, command, head, attempt: count } }: FoundRun) {
  const unseen = { durationMs: null, exitCode: null, signal: null };
  return { role, agent: command[0] ?? "", run: token, head, attempt: count, ...unseen };
}

function logDamaged(log: EventLog, { run, damage }: DamagedRun): void {
  log("T2M6HC9R", "a run of the thread could not be read, and the thread has ended", "abandoned", {
    role: null,
    agent: null,
    run: run.token,
    head: null,
    attempt: null,
    durationMs: null,
    exitCode: null,
    signal: null,
    code: damage.code,
    file: run.runFile,
    usage: null,
  });
}

function openEventLog({ paths, now }: Storage, thread: ThreadId): EventLog {
  return createEventLog({ dir: paths.logs, now, thread });
}

/**
 * Step 4 of an archive, under the thread's lock: `ending` goes last, so that after a crash in between
 * the next process that finds it completes the archive.
 */
function removeThreadRuns(storage: Storage, line: HistoryLine): Result<HistoryLine, Fault> {
  const folder = threadRunsPath(storage, line.thread);
  const ending = threadRecordPath(storage, line.thread, "ending");
  // What is behind a link is not ours to remove.
  const isOurs = attempt(() => !isLink(folder));
  if (!isOurs.ok) return isOurs;
  const emptied = isOurs.value ? removeAllBut(storage, line, ending) : ok(undefined);
  if (!emptied.ok) return emptied;
  return attempt(() => {
    if (isOurs.value) removeTree(ending);
    removeTree(folder);
    return line;
  });
}

/** Each run is removed at once: to a reader without the lock, half of one would be damage. */
function removeAllBut(storage: Storage, { thread }: HistoryLine, ending: string): Result<void, Fault> {
  const folder = threadRunsPath(storage, thread);
  const names = attempt(() => folderNames(folder));
  if (!names.ok) return names;
  for (const name of names.value) {
    const path = join(folder, name);
    const run = runDirOf(storage, thread, name);
    const removed = run !== null ? removeRun(run) : attempt(() => path !== ending && removeTree(path));
    if (!removed.ok) return removed;
  }
  return ok(undefined);
}

// The order of an archive, and why a crash after any of its four steps is harmless. What is left of runs is logged
// before 2: from there on the thread may never be looked at again.
//   1 ending         from here on every process counts the thread as ended, and the next to lock it goes on
//   2 history line   before 3: at any time the thread is found in at least one place; where both have it, history wins
//   3 threads.yaml   only now
//   4 runs/<thread>  with `ending` as its last file: as long as something is left to do, it says so. The thread's cache
//                    goes just before, so that any process that completes the archive removes it too
// Every step looks first whether it has been done, so the whole can be repeated from the top.

/**
 * Ends a thread whose lock the caller holds. Gives the line that stands in the history afterwards: when a kill decided
 * first, that is the kill's. With its `claim` only while that is ours (`CLAIM_LOST`). Takes the index lock.
 */
export function archiveThread(
  storage: Storage,
  archive: HistoryLine,
  claim?: ThreadLock,
  log: EventLog = openEventLog(storage, archive.thread),
): Promise<Result<HistoryLine, Fault>> {
  const decide = async () => {
    const held = claim === undefined ? ok(undefined) : stillHeld(claim);
    return held.ok ? decideEnd(storage, archive) : held;
  };
  return carryOut(storage, archive, { workflow: archive.workflow, decide, log });
}

/**
 * Finishes the archive of a thread that has an `ending`; the caller holds the thread's lock. `null` when there is
 * nothing to finish. Takes the index lock.
 */
export async function completeEnding(
  storage: Storage,
  thread: ThreadId,
): Promise<Result<HistoryLine | null, Fault>> {
  const ending = readThreadRecord(storage, thread, "ending");
  if (!ending.ok) return ending;
  const decided = ending.value;
  if (decided === null) return ok(null);
  const log = openEventLog(storage, thread);
  return carryOut(
    storage,
    { thread, head: decided.head },
    { workflow: null, decide: async () => ok(decided), log },
  );
}

type Carried = {
  /** Saves reading it from the chain; `null`: it is not known. */
  readonly workflow: CasRef | null;
  readonly decide: () => Promise<Result<EndingRecord, Fault>>;
  readonly log: EventLog;
};

/** All four steps. */
async function carryOut(
  storage: Storage,
  at: Pick<HistoryLine, "thread" | "head">,
  { workflow, decide, log }: Carried,
): Promise<Result<HistoryLine, Fault>> {
  logLeftRuns(storage, at.thread, at, log);
  const recorded = await withIndexLock(storage, async () => {
    const ending = await decide();
    if (!ending.ok) return ending;
    const line = ensureHistoryLine(storage, at.thread, ending.value, workflow);
    return line.ok ? dropHead(storage, line.value) : line;
  });
  if (!recorded.ok) return recorded;
  forgetHistory(storage, at.thread);
  return removeThreadRuns(storage, recorded.value);
}
