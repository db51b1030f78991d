import { lstatSync } from "node:fs";
import { err, type Fault, fault, ok, type Result } from "@uncaged/workflow-protocol";
import {
  barRun,
  type Chain,
  doubtAbout,
  type FoundRun,
  findRuns,
  identityOf,
  isCopiedRun,
  logLeftRun,
  removeRun,
} from "@uncaged/workflow-store";
import { endRun, runMembers } from "@uncaged/workflow-util";
import type { EndedRun, RunState } from "./types.js";

const POLL_MS = 100;

/**
 * A run of this head whose uwf has died, once its agent has ended; busy while the agent lives. Every run on disk is such
 * a run, since we hold the thread's lock. `null`: there is none, a new run may start.
 */
export async function adoptLeftRun(state: RunState, waitMs: number): Promise<Result<EndedRun | null, Fault>> {
  const runs = findRuns(state.storage, state.thread);
  if (!runs.ok) return runs;
  for (const run of runs.value) {
    const isLeft = run.record.head === state.chain.head;
    if (isLeft && !isCopiedRun(run)) return adopt(state, run, waitMs);
    const swept = isLeft ? giveUp(state, run) : await sweep(state, run);
    if (!swept.ok) return swept;
  }
  return ok(null);
}

/**
 * Removes a run of an older head: its step is recorded but its uwf died before logging it, or it came too late. An agent
 * that is still running is ended.
 */
async function sweep(state: RunState, run: FoundRun): Promise<Result<void, Fault>> {
  const { storage, thread, chain, log } = state;
  const steps = chain.last(null);
  if (!steps.ok) return steps;
  const { head, workflow, start } = chain;
  const whole: Chain = { head, workflow, start, steps: steps.value };
  const stranger = notOurs(whole, run);
  if (stranger !== null) return err(stranger);
  if (barRun(run) === "started") await endRun(identityOf(run), 0);
  logLeftRun(storage, thread, run, { chain: whole, code: "HEAD_MOVED" }, log);
  return removeRun(run);
}

/** A run of another storage root, of which this one is a copy: what it gives is the other one's step. */
function giveUp(state: RunState, run: FoundRun): Result<void, Fault> {
  const doubt = doubtAbout(run, renewedAt(state));
  if (doubt !== null) return err(unknown(state, run, doubt));
  const { role, head, place } = run.record;
  const reason = `its run ${started(run)} was made in ${place?.folder}, of which this is a copy: here the step is paid for a second time`;
  state.warn(reason);
  state.log("W7C2QX5J", reason, "copied", { role, head, run: run.token });
  return removeRun(run);
}

/** The clock of the file system: the thread's lock was put there a moment ago. */
function renewedAt({ claim: { lock } }: RunState): number | undefined {
  return lstatSync(lock.path, { throwIfNoEntry: false })?.mtimeMs;
}

/** The fault if the thread never had this head: run.json is damaged, and the run may hold the next step's result. */
function notOurs({ start, steps }: Chain, { record, runFile }: FoundRun): Fault | null {
  if ([start, ...steps].some(({ hash }) => hash === record.head)) return null;
  return fault("STORE_DAMAGED", { file: runFile, reason: `${record.head} was never a head of this thread` });
}

async function adopt(state: RunState, run: FoundRun, waitMs: number): Promise<Result<EndedRun, Fault>> {
  const doubt = doubtAbout(run, renewedAt(state));
  if (doubt !== null) return err(unknown(state, run, doubt));
  // Barring and the child's pid record exclude each other: after this the agent has started, or never will.
  if (barRun(run) === "started" && !(await hasEnded(state, run, waitMs))) return err(busy(state, run));
  const { role, attempt } = run.record;
  return ok({ run, role, outcome: null, attempt });
}

/** Whether no process of the run is alive; polls for up to `waitMs`. */
async function hasEnded(state: RunState, run: FoundRun, waitMs: number): Promise<boolean> {
  const deadline = state.host.now() + waitMs;
  while (runMembers(identityOf(run)).length > 0) {
    if (state.host.now() >= deadline || state.signals.received() !== null) return false;
    await state.host.sleep(POLL_MS);
  }
  return true;
}

function busy(state: RunState, run: FoundRun): Fault {
  const signal = state.signals.received();
  if (signal !== null) return fault("INTERRUPTED", { signal, recorded: null });
  const pids = runMembers(identityOf(run)).join(", ");
  return busyWith(state, `its agent ${started(run)} is still running (pid ${pids}), though its uwf is gone`);
}

function unknown(state: RunState, run: FoundRun, doubt: string): Fault {
  return busyWith(
    state,
    `its agent ${started(run)} may still be running, but this cannot be checked from here: ${doubt}`,
  );
}

/** `as writer, started 2025-01-31T08:00:00.000Z on build-7,`. */
function started({ record }: FoundRun): string {
  const host = record.host === null ? "" : ` on ${record.host}`;
  return `as ${record.role}, started ${new Date(record.startedAt).toISOString()}${host},`;
}

function busyWith({ thread }: RunState, holder: string): Fault {
  return fault("THREAD_BUSY", { thread, holder });
}
