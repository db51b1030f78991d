import { existsSync } from "node:fs";
import { join } from "node:path";
import { type Fault, messageOf, ok, type Result, type ThreadId } from "@uncaged/workflow-protocol";
import {
  type Claim,
  checkTrust,
  claimThread,
  doubtAbout,
  findThreadToChange,
  identityOf,
  isHeldByUs,
  readEnding,
  releaseClaim,
  type Storage,
  surveyRuns,
} from "@uncaged/workflow-store";
import { createLogger, endRun, parseThreadId, type RunIdentity } from "@uncaged/workflow-util";
import type { Messages } from "../io.js";
import { type SignalWatch, watchSignals } from "./stop.js";
import type { Claimed, StepDeps, StepRequest } from "./types.js";

/**
 * The processes to end with a thread. A run whose run.json cannot be read is named in a warning and keeps no thread
 * from ending: its agent is found by the token and the `pid` file.
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
  for (const { damage } of damaged)
    warn(`a result of this run, if there is one, is lost: ${messageOf(damage)}`);
  for (const run of runs) {
    const doubt = doubtAbout(run);
    if (doubt !== null) warn(`processes of its run as ${run.record.role} are not ended from here: ${doubt}`);
  }
  return [...runs, ...damaged.map(({ run }) => run)].map(identityOf);
}

/**
 * Stage 2: the thread's lock and its head, or busy (75), ended (8), unknown (3); a storage root of somebody who is not
 * trusted is refused (4). Signals are watched before the lock is taken: one that came in between would end us.
 */
export async function claim(deps: StepDeps, request: StepRequest): Promise<Result<Claimed, Fault>> {
  const { host, storage } = deps;
  const trusted = checkTrust(storage, host.env);
  if (!trusted.ok) return trusted;
  const signals = watchSignals(host);
  const taken = await take(deps, request, signals);
  if (!taken.ok) {
    signals.stop();
    return taken;
  }
  const { thread } = taken.value;
  const log = createLogger({ dir: join(storage.root, "logs"), now: host.now, thread });
  return ok({ claim: taken.value, thread, log, signals });
}

/** Gives the thread back. */
export function release({ claim, signals }: Claimed): void {
  releaseClaim(claim);
  signals.stop();
}

async function take(
  { storage, warn }: StepDeps,
  request: StepRequest,
  signals: SignalWatch,
): Promise<Result<Claim, Fault>> {
  const found = await toClaim(storage, request.thread);
  if (!found.ok) return found;
  const { thread } = found.value;
  // A kill that died half-way: claiming completes its archive, which takes the runs away, but not their processes.
  const left = found.value.pending ? runsToEnd(storage, thread, { warn }) : [];
  signals.endUnless(() => isHeldByUs(storage, thread));
  const claimed = await claimThread(storage, thread, { waitMs: request.waitMs });
  // Ours until we give it back, also when a person takes the lock away by force.
  if (claimed.ok) signals.endUnless(() => true);
  if (!claimed.ok && claimed.error.code === "THREAD_ENDED") {
    for (const run of left) await endRun(run, 0);
  }
  return claimed;
}

type ToClaim = { readonly thread: ThreadId; readonly pending: boolean };

/**
 * The thread that a person means. One that is known by its whole id, and that nobody is ending, is looked up once, under
 * its lock; before anything exists there is nothing to lock.
 */
async function toClaim(storage: Storage, text: string): Promise<Result<ToClaim, Fault>> {
  const thread = parseThreadId(text);
  const isPlain = thread.ok && existsSync(storage.paths.threads);
  const ending = isPlain ? readEnding(storage, thread.value) : null;
  if (thread.ok && ending?.ok && ending.value === null) return ok({ thread: thread.value, pending: false });
  const found = await findThreadToChange(storage, text);
  if (!found.ok) return found;
  const { value } = found;
  return ok({ thread: value.thread, pending: value.kind === "ended" && value.pending });
}
