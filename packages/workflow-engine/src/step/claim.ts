import { existsSync, lstatSync } from "node:fs";
import {
  err,
  type Fault,
  fault,
  messageOf,
  ok,
  type Result,
  type ThreadId,
} from "@uncaged/workflow-protocol";
import {
  type Claim,
  checkTrust,
  claimThread,
  copiedSince,
  doubtAbout,
  findThread,
  identityOf,
  isHeldByUs,
  type RunDir,
  readThreadRecord,
  releaseClaim,
  type Storage,
  surveyRuns,
} from "@uncaged/workflow-store";
import { createEventLog, endRun, parseThreadId, type RunIdentity } from "@uncaged/workflow-util";
import { type Messages, nameRoot } from "../host.js";
import { type SignalWatch, watchSignals } from "./stop.js";
import type { Claimed, StepDeps, StepRequest } from "./types.js";

/**
 * The processes to end with a thread. A run whose run.json cannot be read gives a warning, but the thread still ends:
 * the agent is found by the token and the `pid` file.
 */
export function runsToEnd(
  storage: Storage,
  thread: ThreadId,
  { warn }: Pick<Messages, "warn">,
): readonly RunIdentity[] {
  const found = surveyRuns(storage, thread);
  if (!found.ok) {
    warn(`the runs of the thread cannot be listed: ${messageOf(found.error)}`);
    return [];
  }
  const { runs, damaged } = found.value;
  for (const { damage } of damaged) warn(`if this run had a result, it is lost: ${messageOf(damage)}`);
  for (const run of runs) {
    const doubt = doubtAbout(run);
    if (doubt !== null) warn(`cannot end the processes of its run as ${run.record.role} from here: ${doubt}`);
  }
  // A run that does not say where it was made may have come with a copy, and belong to the other root.
  const since = copiedSince(storage);
  const ours = damaged.filter(({ run }) => since < madeAt(run));
  if (ours.length < damaged.length)
    warn("processes of a damaged run are left alone: it was there when this storage root was copied");
  return [...runs, ...ours.map(({ run }) => run)].map(identityOf);
}

/** When its agent's process was recorded, epoch ms; `-Infinity`: it was not. */
function madeAt({ pidFile }: RunDir): number {
  return lstatSync(pidFile, { throwIfNoEntry: false })?.mtimeMs ?? Number.NEGATIVE_INFINITY;
}

/**
 * Stage 2: takes the thread's lock and reads its head, or fails: busy or moved on (75), ended (8), unknown (3), untrusted storage
 * root (4). Signal handlers come before the lock: a signal in between would end us while we hold it.
 */
export async function claim(deps: StepDeps, request: StepRequest): Promise<Result<Claimed, Fault>> {
  const { host, storage, watch } = deps;
  const trusted = checkTrust(storage, host.env);
  if (!trusted.ok) return trusted;
  const signals = watchSignals(host);
  const taken = await acquire(deps, request, signals);
  if (!taken.ok) {
    signals.stop();
    return taken;
  }
  const { thread } = taken.value;
  const watched = watch === null ? null : watch.logged;
  const log = createEventLog({ dir: storage.paths.logs, now: host.now, thread }, watched);
  return ok({ claim: taken.value, thread, log, signals });
}

/** Releases the thread's lock. */
export function release({ claim, signals }: Claimed): void {
  releaseClaim(claim);
  signals.stop();
}

async function acquire(
  deps: StepDeps,
  request: StepRequest,
  signals: SignalWatch,
): Promise<Result<Claim, Fault>> {
  const { storage, warn, host } = deps;
  const found = await toClaim(storage, request.thread, host.cwd);
  if (!found.ok) return found;
  const { thread } = found.value;
  const named = await nameRoot(deps, storage);
  if (!named.ok) return named;
  // A kill that died half-way: claiming completes its archive, which removes the runs but not their processes.
  const left = found.value.pending ? runsToEnd(storage, thread, { warn }) : [];
  signals.endUnless(() => isHeldByUs(storage, thread));
  const claimed = await claimThread(storage, thread, { waitMs: request.waitMs });
  if (claimed.ok && request.expect !== null && request.expect !== claimed.value.head) {
    const { head: moved } = claimed.value;
    const released = releaseClaim(claimed.value);
    return released.ok
      ? err(fault("HEAD_MOVED", { thread, expected: request.expect, found: moved }))
      : released;
  }
  // Ours until we release it, even if another command removes the lock by force.
  if (claimed.ok) signals.endUnless(() => true);
  if (!claimed.ok && claimed.error.code === "THREAD_ENDED") {
    for (const run of left) await endRun(run, 0);
  }
  return claimed;
}

type ToClaim = { readonly thread: ThreadId; readonly pending: boolean };

/**
 * Resolves a thread id or a part of one. A complete id of a thread that is not ending needs no lookup here: claiming
 * looks it up under the lock.
 */
async function toClaim(storage: Storage, text: string, folder: string): Promise<Result<ToClaim, Fault>> {
  const thread = parseThreadId(text);
  const isPlain = thread.ok && existsSync(storage.paths.threads);
  const ending = isPlain ? readThreadRecord(storage, thread.value, "ending") : null;
  if (thread.ok && ending?.ok && ending.value === null) return ok({ thread: thread.value, pending: false });
  const found = await findThread(storage, text, folder, "change");
  if (!found.ok) return found;
  const { value } = found;
  return ok({ thread: value.thread, pending: value.kind === "ended" && value.pending });
}
