import { ENV, err, type Fault, fault, ok, type Result } from "@uncaged/workflow-protocol";
import { readWorkFolder, writeThreadRecord } from "@uncaged/workflow-store";
import { checkFolder } from "../host.js";
import { answerStep } from "./answer.js";
import { ask, heldBack, hold } from "./held.js";
import { adoptLeftRun } from "./left-run.js";
import type { Tries } from "./retry.js";
import { runOnce } from "./run-once.js";
import { reachedLimit } from "./spending.js";
import { paused } from "./stop.js";
import type { AnsweredStep, EndedRun, RunPlan, RunState } from "./types.js";

/**
 * Stage 6: takes over the run that an earlier step left behind, if there is one, else starts a new one, unless the thread
 * is held; or takes a person's answer. `--cwd` moves the thread in every case.
 */
export async function runAgent(
  state: RunState,
  plan: RunPlan,
  { attempt, cwd, patience }: Tries,
): Promise<Result<EndedRun | AnsweredStep, Fault>> {
  const moved = cwd === null ? ok(undefined) : moveThread(state, cwd);
  if (!moved.ok) return moved;
  const left = await adoptLeftRun(state, patience);
  if (!left.ok) return left;
  if (left.value !== null) return ok(left.value);
  const pause = paused(state, state.chain.head);
  if (pause !== null) return err(pause);
  if (state.answer !== null) return answerStep(state, plan, state.answer);
  const held = await heldBack(state, plan);
  if (held !== null) return err(held);
  if (plan.human !== null) return ask(state, plan, plan.human);
  const reached = reachedLimit(state);
  if (!reached.ok) return reached;
  if (reached.value !== null) return err(await hold(state, plan, reached.value));
  const folder = workFolder(state);
  return folder.ok ? runOnce({ ...state, workFolder: folder.value }, plan, attempt) : folder;
}

/** The thread's working folder, wherever the step is called; a thread without one gets the caller's. */
function workFolder(state: RunState): Result<string, Fault> {
  const { thread, host, recordedFolder } = state;
  if (recordedFolder === null) {
    const kept = retainFirstFolder(state, host.cwd);
    return kept.ok ? ok(host.cwd) : kept;
  }
  const reason = checkFolder(recordedFolder);
  return reason === null ? ok(recordedFolder) : err(fault("FOLDER_UNUSABLE", { thread, reason }));
}

/** `--cwd`: changes the thread's folder. */
function moveThread(state: RunState, folder: string): Result<void, Fault> {
  const { storage, thread } = state;
  const there = readWorkFolder(storage, thread);
  if (there.ok && there.value === null) return retainFirstFolder(state, folder);
  return there.ok && there.value === folder
    ? ok(undefined)
    : writeThreadRecord(storage, thread, "folder", { cwd: folder });
}

/** Only an imported thread has none before its first step here; at a remote it goes on in one place. */
function retainFirstFolder({ storage, thread, host, warn }: RunState, folder: string): Result<void, Fault> {
  if (!host.env[ENV.leased])
    warn(
      `thread ${thread} was imported: if it goes on where it comes from too, two threads go on; \`uwf thread kill ${thread}\` ends one, here or there`,
    );
  return writeThreadRecord(storage, thread, "folder", { cwd: folder });
}
