import { argument } from "@uncaged/command-line";
import { isProvedAlive } from "@uncaged/json-cas-fs";
import { nameRoot, runsToEnd, watchSignals } from "@uncaged/workflow-engine";
import {
  err,
  type Fault,
  fault,
  type HistoryReason,
  type KillOutput,
  ok,
  type Result,
  type ThreadId,
} from "@uncaged/workflow-protocol";
import {
  attempt,
  claimThread,
  isHeldByUs,
  isOnRemote,
  readHolder,
  releaseClaim,
  type Storage,
  writeEnding,
} from "@uncaged/workflow-store";
import { endRun, type RunIdentity, signalRun } from "@uncaged/workflow-util";
import type { Host } from "../../io.js";
import {
  ACTIVE_THREAD,
  CHANGE_FAULTS,
  type CommandContext,
  type CommandResult,
  defineRootCommand,
  ROOT_FAULTS,
} from "../../line/index.js";
import { lines } from "../../screen/index.js";
import { document } from "../output.js";
import { belowWords, changeBelow, eventLog, findTrusted } from "./change.js";

/**
 * How long a running step may take to end its agent and release the thread, in ms; after that its agent is ended
 * for it.
 */
const LET_GO_MS = 8_000;

/** Between SIGTERM and SIGKILL for an agent whose uwf is gone, in ms. */
const GRACE_MS = 5_000;

export const command = defineRootCommand({
  path: "thread kill",
  summary: "stop the running step, if any, and archive the thread",
  arguments: { thread: argument(ACTIVE_THREAD) },
  examples: ["uwf thread kill 01KAJ5E8ZJ4N7XK3M9T2V6W8YB"],
  exits: [...ROOT_FAULTS, ...CHANGE_FAULTS, "THREAD_ON_REMOTE"],
  sample: { line: "thread kill PHVB", prints: "killed thread 01KAJ5G7T4M2R8E6SXKN1BPHVB" },
  onRemote: {},
  run: async (context, { thread }, storage) => killThread(context, storage, thread),
});

/**
 * Writes `ending` first: from here on no step starts an agent or moves the head. Then it stops what is
 * running; the next process that takes the thread's lock, at the latest this one, completes the archive. Then
 * the same for every thread that it has started.
 */
export async function killThread(context: CommandContext, storage: Storage, text: string): CommandResult {
  const found = await findTrusted(context, storage, text, "end");
  if (!found.ok) return found;
  const { thread, head } = found.value;
  // Here it is a copy: at the remote it would go on.
  if (found.value.kind === "active" && isOnRemote(storage, thread))
    return err(fault("THREAD_ON_REMOTE", { thread, head }));
  const named = await nameRoot(context, storage);
  if (!named.ok) return named;
  const own = await killOne(context, storage, thread);
  if (!own.ok && own.error.code !== "THREAD_ENDED") return own;
  // From its ending on it starts no child: those that there are now are all. A thread that has ended may have left some, when
  // an earlier kill was cut short.
  const children = await changeBelow(storage, thread, (child) => killOne(context, storage, child));
  if (!children.ok) return children;
  if (!own.ok && children.value.length === 0) return own;
  const output: KillOutput = { thread, archived: true, children: children.value };
  return document(output, (screen) =>
    lines(screen, [`killed thread ${thread}${belowWords(output.children)}`]),
  );
}

/** `THREAD_ENDED` if it has ended otherwise, or before. */
async function killOne(
  context: CommandContext,
  storage: Storage,
  thread: ThreadId,
): Promise<Result<void, Fault>> {
  const ending = await writeEnding(storage, thread, { reason: "killed" });
  if (!ending.ok) return ending;
  const runs = runsToEnd(storage, thread, context);
  const signals = watchSignals(context.host);
  // Another kill of this thread signals the holder of the lock: an archive that is being completed must not be stopped.
  signals.endUnless(() => isHeldByUs(storage, thread));
  const reason = await stopAndArchive(context.host, storage, thread, runs).finally(signals.stop);
  if (!reason.ok) return reason;
  if (reason.value !== "killed") return err(fault("THREAD_ENDED", { thread, reason: reason.value }));
  const log = eventLog(context, storage, thread);
  log("C6RXJ0TM", "the thread was killed", "killed", { head: ending.value.head });
  return ok(undefined);
}

/** Returns the reason recorded in the history: a natural end that came before the kill stays one. */
async function stopAndArchive(
  host: Host,
  storage: Storage,
  thread: ThreadId,
  runs: readonly RunIdentity[],
): Promise<Result<HistoryReason, Fault>> {
  signalHolder(host, storage, thread);
  for (const run of runs) signalRun(run, "SIGTERM");
  const archived = await archive(storage, thread);
  // The thread is over either way; nothing of its runs may stay.
  for (const run of runs) await endRun(run, GRACE_MS);
  const isBusy = !archived.ok && archived.error.code === "THREAD_BUSY";
  return isBusy ? archive(storage, thread) : archived;
}

/** Takes the lock, which completes the archive. */
async function archive(storage: Storage, thread: ThreadId): Promise<Result<HistoryReason, Fault>> {
  const claim = await claimThread(storage, thread, { waitMs: LET_GO_MS });
  if (claim.ok) {
    releaseClaim(claim.value);
    throw new Error(`thread ${thread} has an ending and could be claimed all the same`);
  }
  return claim.error.code === "THREAD_ENDED" ? ok(claim.error.reason) : claim;
}

/** Only a process that is proved to be the holder is signalled: a reused pid belongs to an unrelated process. */
function signalHolder(host: Host, storage: Storage, thread: ThreadId): void {
  const holder = attempt(() => readHolder(storage, thread));
  if (!holder.ok || holder.value === null) return;
  if (isProvedAlive(holder.value)) host.kill(holder.value.pid, "SIGTERM");
}
