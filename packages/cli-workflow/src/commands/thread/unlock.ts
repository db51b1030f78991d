import { flag, optional } from "@uncaged/command-line";
import { describeHolder } from "@uncaged/json-cas-fs";
import { holderOutput, type RunState, runState, verdictSentence } from "@uncaged/workflow-engine";
import {
  err,
  type Fault,
  fault,
  messageOf,
  ok,
  type Result,
  type ThreadId,
  type UnlockOutput,
} from "@uncaged/workflow-protocol";
import {
  attempt,
  doubtAbout,
  type FoundRun,
  findRuns,
  findThread,
  indexLockPath,
  releaseRun,
  type Storage,
  type Unlocked,
  unlock,
} from "@uncaged/workflow-store";
import {
  type CommandContext,
  type CommandOutput,
  type CommandResult,
  defineRootCommand,
  THREAD,
} from "../../line/index.js";
import { lines } from "../../screen/index.js";
import { document } from "../output.js";
import { eventLog } from "./change.js";

/**
 * Shows who holds a thread, or the index, and whether that process is alive; releases the lock of a provably dead
 * one. A living holder, or one that cannot be checked, keeps its lock unless `--force` is given.
 */
export const command = defineRootCommand({
  path: "thread unlock",
  summary: "show who holds a thread; release the lock of a provably dead process",
  arguments: { thread: optional(THREAD) },
  options: {
    force: flag("release the lock even if its holder is alive or cannot be checked"),
    index: flag("the lock of threads.yaml, history.jsonl and registry.yaml"),
  },
  examples: [
    "uwf thread unlock 01KAJ5E8ZJ4N7XK3M9T2V6W8YB",
    "uwf thread unlock 01KAJ5E8 --force",
    "uwf thread unlock --index",
  ],
  exits: ["THREAD_BUSY", "LOCK_BUSY"],
  sample: {
    line: "thread unlock W8YB",
    prints: "nobody holds thread 01KAJ5E8ZJ4N7XK3M9T2V6W8YB",
  },
  run: async (context, { thread, index, force }, storage) => {
    if ((thread === null) !== index) return err(NOT_ONE);
    return thread === null ? indexLock(context, storage, force) : threadLock(context, storage, thread, force);
  },
});

const NOT_ONE = fault("USAGE", {
  reason: "unlock takes a thread or --index, and not both",
  usage: "name a thread, or give --index for the lock of threads.yaml, history.jsonl and registry.yaml",
});

async function threadLock(
  context: CommandContext,
  storage: Storage,
  text: string,
  force: boolean,
): CommandResult {
  const found = await findThread(storage, text, context.host.cwd, "change");
  if (!found.ok) return found;
  const { thread } = found.value;
  const runs = findRuns(storage, thread);
  // Damaged runs do not matter here: the person wants to release the lock.
  if (!runs.ok) context.warn(`the runs of the thread are not known: ${messageOf(runs.error)}`);
  const unlocked = unlock(storage, thread, force);
  if (!unlocked.ok) return unlocked;
  const { holder, released } = unlocked.value;
  const newest = runs.ok ? runs.value.at(-1) : undefined;
  const elsewhere = holder?.judgement === "unknown";
  const run = newest === undefined ? null : runState(newest, { elsewhere });
  if (holder !== null && !released)
    return err(fault("THREAD_BUSY", { thread, holder: explain(holder, run) }));
  const doubted = releaseRuns(context, thread, runs.ok ? runs.value : [], force);
  if (!doubted.ok) return doubted;
  if (released) record(context, storage, thread, unlocked.value);
  return printed(thread, { holder, released: released || doubted.value }, run);
}

/** With `force`, those that cannot be judged from here count as dead from now on; whether there were any. */
function releaseRuns(
  { warn }: CommandContext,
  thread: ThreadId,
  runs: readonly FoundRun[],
  force: boolean,
): Result<boolean, Fault> {
  let any = false;
  for (const run of runs) {
    const doubt = doubtAbout(run);
    if (doubt === null) continue;
    any = true;
    const holder = `whether its agent as ${run.record.role} is alive cannot be checked from here: ${doubt}`;
    if (!force) return err(fault("THREAD_BUSY", { thread, holder }));
    const released = attempt(() => releaseRun(run));
    if (!released.ok) return released;
    warn(`its run as ${run.record.role} now counts as dead; ${consequence(thread)}`);
  }
  return ok(any);
}

async function indexLock(context: CommandContext, storage: Storage, force: boolean): CommandResult {
  const unlocked = unlock(storage, null, force);
  if (!unlocked.ok) return unlocked;
  const { holder, released } = unlocked.value;
  if (holder !== null && !released) {
    const lock = indexLockPath(storage);
    return err(fault("LOCK_BUSY", { lock, holder: explain(holder, null), waitedMs: 0 }));
  }
  if (released) record(context, storage, null, unlocked.value);
  return printed(null, unlocked.value, null);
}

function printed(
  thread: ThreadId | null,
  { released, holder }: Unlocked,
  run: RunState | null,
): Result<CommandOutput, Fault> {
  const of = run === null ? null : { ...run.run.record, agentAlive: run.agentAlive };
  const output: UnlockOutput = {
    thread,
    released,
    holder: holder === null ? null : holderOutput(holder),
    run: of === null ? null : { role: of.role, startedAt: of.startedAt, agentAlive: of.agentAlive },
  };
  const what = thread === null ? "the index" : `thread ${thread}`;
  const from = holder === null ? "" : `, which process ${holder.pid} on ${holder.host} held`;
  const left = of === null ? "" : `; the next step sees to its run as ${of.role}`;
  const sentence = released ? `released the lock of ${what}${from}` : `nobody holds ${what}`;
  return document(output, (screen) => lines(screen, [`${sentence}${left}`]));
}

type Holder = NonNullable<Unlocked["holder"]>;

/** `pid 7 on host x since …; it is alive: …; an agent runs as writer since … and lives`. */
function explain(holder: Holder, run: RunState | null): string {
  const held = `${describeHolder(holder)}; ${verdictSentence(holder)}`;
  if (run === null) return held;
  const { role, startedAt } = run.run.record;
  const lives = { true: "lives", false: "is gone", null: "cannot be checked from here" }[`${run.agentAlive}`];
  return `${held}; its run as ${role} began ${new Date(startedAt).toISOString()}, and the agent ${lives}`;
}

/** Releasing the lock of a process that may be alive is warned about; every release is logged. */
function record(
  context: CommandContext,
  storage: Storage,
  thread: ThreadId | null,
  { holder }: Unlocked,
): void {
  if (holder === null) return;
  if (holder.judgement !== "dead")
    context.warn(`taken from ${describeHolder(holder)}; ${consequence(thread)}`);
  const log = eventLog(context, storage, thread);
  log("M4T9XK2C", `unlocked: ${describeHolder(holder)}; ${verdictSentence(holder)}`, "unlocked", {
    lock: thread === null ? "index" : "thread",
    holder: holderOutput(holder),
  });
}

function consequence(thread: ThreadId | null): string {
  return thread === null
    ? "if it is alive, its change and the next one can overwrite each other: check `uwf doctor` and `uwf thread list`"
    : "if it is alive, the next step starts a second agent for the same step; only one of the two moves the head";
}
