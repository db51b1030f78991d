import { argument } from "@uncaged/command-line";
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
  checkTrust,
  claimThread,
  descendantsOf,
  findThreadToEnd,
  isHeldByUs,
  isOnRemote,
  isProvedAlive,
  readFamily,
  readHolder,
  releaseClaim,
  type Storage,
  writeEnding,
} from "@uncaged/workflow-store";
import { createEventLog, endRun, type RunIdentity, signalRun } from "@uncaged/workflow-util";
import type { Host } from "../../io.js";
import {
  ACTIVE_THREAD,
  CHANGE_FAULTS,
  type CommandContext,
  type CommandResult,
  defineRootCommand,
  ROOT_FAULTS,
} from "../../line/index.js";
import { counted, lines } from "../../screen/index.js";
import { document } from "../output.js";

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
  const trusted = checkTrust(storage, context.host.env);
  if (!trusted.ok) return trusted;
  const found = await findThreadToEnd(storage, text, context.host.cwd);
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
  const children = await killBelow(context, storage, thread);
  if (!children.ok) return children;
  if (!own.ok && children.value.length === 0) return own;
  const output: KillOutput = { thread, archived: true, children: children.value };
  return document(output, (screen) => {
    const below =
      output.children.length === 0 ? "" : ` and ${counted(output.children.length, "thread")} below it`;
    return lines(screen, [`killed thread ${thread}${below}`]);
  });
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
  const reason = await undisturbed(context.host, storage, thread, runs);
  if (!reason.ok) return reason;
  if (reason.value !== "killed") return err(fault("THREAD_ENDED", { thread, reason: reason.value }));
  const log = createEventLog({ dir: storage.paths.logs, now: context.host.now, thread });
  log("C6RXJ0TM", "the thread was killed", "killed", { head: ending.value.head });
  return ok(undefined);
}

/** The threads below it that were still active, nearest first. */
async function killBelow(
  context: CommandContext,
  storage: Storage,
  thread: ThreadId,
): Promise<Result<readonly ThreadId[], Fault>> {
  const family = readFamily(storage);
  if (!family.ok) return family;
  const killed: ThreadId[] = [];
  for (const child of descendantsOf(family.value, thread)) {
    const one = await killOne(context, storage, child);
    if (one.ok) killed.push(child);
    else if (!NOT_THERE.has(one.error.code)) return one;
  }
  return ok(killed);
}

/** It has ended by itself; or its start was cut short, so that it never was. */
const NOT_THERE: ReadonlySet<string> = new Set(["THREAD_ENDED", "THREAD_NOT_FOUND"]);

/**
 * Another kill of this thread signals the holder of the lock: an archive that is being completed must not be
 * stopped.
 */
async function undisturbed(...given: Parameters<typeof stopAndArchive>): ReturnType<typeof stopAndArchive> {
  const [host, storage, thread] = given;
  const signals = watchSignals(host);
  signals.endUnless(() => isHeldByUs(storage, thread));
  try {
    return await stopAndArchive(...given);
  } finally {
    signals.stop();
  }
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
  const archived = await archive(storage, thread, LET_GO_MS);
  // The thread is over either way; nothing of its runs may stay.
  for (const run of runs) await endRun(run, GRACE_MS);
  const isBusy = !archived.ok && archived.error.code === "THREAD_BUSY";
  return isBusy ? archive(storage, thread, LET_GO_MS) : archived;
}

/** Takes the lock, which completes the archive. */
async function archive(
  storage: Storage,
  thread: ThreadId,
  waitMs: number,
): Promise<Result<HistoryReason, Fault>> {
  const claim = await claimThread(storage, thread, { waitMs });
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
