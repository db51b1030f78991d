import { existsSync } from "node:fs";
import { type Fault, ok, type Result, type ThreadId } from "@uncaged/workflow-protocol";
import {
  type Claim,
  claimThread,
  findThreadToChange,
  isHeldByUs,
  readEnding,
  type Storage,
} from "@uncaged/workflow-store";
import { endRun, parseThreadId } from "@uncaged/workflow-util";
import { runsToEnd } from "./left-runs.js";
import type { SignalWatch } from "./signals.js";
import type { StepDeps, StepRequest } from "./types.js";

/** Stage 2: the thread's lock and its head, or busy (75), ended (8), unknown (3). */
export async function claim(
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
