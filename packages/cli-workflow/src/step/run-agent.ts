import { err, type Fault, fault, ok, type Result } from "@uncaged/workflow-protocol";
import { keepFolder, readFolder } from "@uncaged/workflow-store";
import { refusalOf } from "../folder.js";
import { takeLeftRun } from "./left-run.js";
import type { Tries } from "./retry.js";
import { runOnce } from "./run-once.js";
import type { EndedRun, RunPlan, RunState } from "./types.js";

/**
 * Stage 6: the run that an earlier step has left behind, if there is one, else a run of our own. `--cwd` holds from this
 * step on, for a run that is taken over too.
 */
export async function runAgent(
  state: RunState,
  plan: RunPlan,
  { attempt, cwd, patience }: Tries,
): Promise<Result<EndedRun, Fault>> {
  const moved = cwd === null ? ok(undefined) : moveThread(state, cwd);
  if (!moved.ok) return moved;
  const left = await takeLeftRun(state, patience);
  if (!left.ok) return left;
  if (left.value !== null) return ok(left.value);
  const folder = workFolder(state);
  return folder.ok ? runOnce({ ...state, folder: folder.value }, plan, attempt) : folder;
}

/** Where the thread's agents work, whoever calls the step: a thread that has no folder yet keeps the caller's. */
function workFolder({ storage, thread, host }: RunState): Result<string, Fault> {
  const folder = readFolder(storage, thread);
  if (!folder.ok) return folder;
  if (folder.value === null) {
    const kept = keepFolder(storage, thread, host.cwd);
    return kept.ok ? ok(host.cwd) : kept;
  }
  const reason = refusalOf(folder.value);
  return reason === null ? ok(folder.value) : err(fault("FOLDER_UNUSABLE", { thread, reason }));
}

/** `--cwd`: from this step on, that of a run which is taken over included. */
function moveThread({ storage, thread }: RunState, folder: string): Result<void, Fault> {
  const there = readFolder(storage, thread);
  return there.ok && there.value === folder ? ok(undefined) : keepFolder(storage, thread, folder);
}
