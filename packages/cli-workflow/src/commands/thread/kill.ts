import { err, type Fault, fault, type KillOutput, ok, type Result, type ThreadId } from "@uncaged/workflow-protocol";
import {
  claimForArchive,
  completeEnding,
  findRuns,
  findThread,
  judgeHolder,
  readHolder,
  readPid,
  releaseClaim,
  type RunDir,
  type Storage,
  writeEnding,
} from "@uncaged/workflow-store";
import { endRun, signalRun } from "@uncaged/workflow-util";
import type { Host } from "../../io/index.js";
import { document } from "../output.js";
import type { CommandContext, CommandResult } from "../types.js";

/** How long the running step may take to end its agent and let go, in ms; then the agent is ended for it. */
const LET_GO_MS = 8_000;
const GRACE_MS = 5_000;

/**
 * Marks the thread as ended first: from here on no step starts an agent or moves the head. Then stops what runs,
 * waits for the thread's lock and archives.
 */
export async function threadKill(
  context: CommandContext,
  request: { readonly thread: string },
): CommandResult {
  const storage = context.openStorage();
  if (!storage.ok) return storage;
  const state = findThread(storage.value, request.thread);
  if (!state.ok) return state;
  const { thread } = state.value;
  if (state.value.kind === "ended" && !state.value.pending) {
    return err(fault("THREAD_ENDED", { thread, reason: state.value.reason }));
  }
  const ending = await writeEnding(storage.value, thread, { reason: "killed" });
  if (!ending.ok) return ending;
  const archived = await stopAndArchive(context.host, storage.value, thread);
  if (!archived.ok) return archived;
  if (ending.value.reason !== "killed") return err(fault("THREAD_ENDED", { thread, reason: ending.value.reason }));
  return document({ thread, archived: true } satisfies KillOutput);
}

async function stopAndArchive(host: Host, storage: Storage, thread: ThreadId): Promise<Result<void, Fault>> {
  const runs = findRuns(storage, thread);
  if (!runs.ok) return runs;
  signalHolder(host, storage, thread);
  for (const run of runs.value) signalRun(identityOf(run), "SIGTERM");
  const claimed = await claimOrForce(storage, thread, runs.value);
  if (!claimed.ok) return claimed;
  try {
    // Whatever survived its uwf, or was started just before the ending was written.
    const left = findRuns(storage, thread);
    if (!left.ok) return left;
    for (const run of left.value) await endRun(identityOf(run), GRACE_MS);
    const completed = await completeEnding(storage, thread);
    return completed.ok ? ok(undefined) : completed;
  } finally {
    releaseClaim(claimed.value);
  }
}

/** Only a process that is proved to be the holder is signalled: a reused pid belongs to a stranger. */
function signalHolder(host: Host, storage: Storage, thread: ThreadId): void {
  const holder = readHolder(storage, thread);
  if (holder !== null && holder.pid !== host.pid && judgeHolder(holder) === "alive") host.kill(holder.pid, "SIGTERM");
}

async function claimOrForce(storage: Storage, thread: ThreadId, runs: readonly RunDir[]) {
  const polite = await claimForArchive(storage, thread, { waitMs: LET_GO_MS });
  if (polite.ok || polite.error.code !== "THREAD_BUSY") return polite;
  for (const run of runs) await endRun(identityOf(run), 0);
  return claimForArchive(storage, thread, { waitMs: LET_GO_MS });
}

function identityOf(run: RunDir) {
  const process = readPid(run);
  return { pid: process?.pid ?? null, startTime: process?.startTime ?? null, token: run.token };
}
