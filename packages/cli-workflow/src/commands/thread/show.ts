import { messageOf, ok, type RoutingFailure, type ThreadShowOutput } from "@uncaged/workflow-protocol";
import {
  attempt,
  type FoundRun,
  findRuns,
  findThread,
  judgeHolder,
  lastSignOfLife,
  readChainNode,
  readFailedRuns,
  readFolder,
  readHolder,
  readReport,
  readStuck,
  type Storage,
  type ThreadState,
  workflowOfHead,
} from "@uncaged/workflow-store";
import { timeOfThreadId } from "@uncaged/workflow-util";
import { runState } from "../../holders.js";
import { document } from "../output.js";
import type { CommandContext, CommandResult } from "../types.js";

export async function threadShow(
  context: CommandContext,
  request: { readonly thread: string },
): CommandResult {
  const storage = context.openStorage();
  if (!storage.ok) return storage;
  const found = await findThread(storage.value, request.thread);
  if (!found.ok) return found;
  const state = found.value;
  const { thread, head } = state;
  const workflow = workflowOfHead(storage.value.cas, head);
  if (!workflow.ok) return workflow;
  const shown: ThreadShowOutput = {
    workflow: workflow.value,
    thread,
    head,
    ...(state.kind === "ended" ? { done: true, reason: state.reason } : { done: false }),
    cwd: folderOf(context, storage.value, state),
    ...failuresOf(context, storage.value, state),
    running: runningOf(context, storage.value, state),
  };
  return document(shown);
}

/** An unknown part does not hide the rest. */
function folderOf(context: CommandContext, storage: Storage, { kind, thread }: ThreadState): string | null {
  const folder = kind === "ended" ? ok(null) : readFolder(storage, thread);
  if (folder.ok) return folder.value;
  context.warn(messageOf(folder.error));
  return null;
}

/** The log is not part of the state: if it cannot be read, a warning is printed and nothing else changes. */
function failuresOf(
  context: CommandContext,
  storage: Storage,
  state: ThreadState,
): Pick<ThreadShowOutput, "runs" | "lastFailure"> {
  const { thread, head } = state;
  const arrived = arrivedAt(storage, thread, head);
  // The clock went back: everything since then has an earlier time.
  const since = arrived > context.host.now() ? 0 : arrived;
  const runs = readFailedRuns(storage, { thread, head, since });
  const stuck = stuckAt(context, storage, state);
  if (runs.ok) {
    const { failed, abandoned, last } = runs.value;
    return { runs: { failed, abandoned }, lastFailure: stuck ?? last };
  }
  // Logs are private to their owner: for everybody else "not known" is the usual answer, and nothing is wrong.
  const { error } = runs;
  if (error.code === "IO_FAILED" && error.errno === "EACCES") return { runs: null, lastFailure: stuck };
  context.warn(`the failed runs are not known: ${messageOf(error)}`);
  return { runs: null, lastFailure: stuck };
}

/** Why no decision leads on: no run of an agent comes after that. */
function stuckAt(context: CommandContext, storage: Storage, state: ThreadState): RoutingFailure | null {
  const stuck = state.kind === "ended" ? ok(null) : readStuck(storage, state);
  if (stuck.ok) return stuck.value;
  context.warn(`whether the thread is stuck is not known: ${messageOf(stuck.error)}`);
  return null;
}

/** When the thread reached its head, epoch ms. A fork, or the same task started again, has an older head. */
function arrivedAt(storage: Storage, thread: ThreadState["thread"], head: ThreadState["head"]): number {
  const node = readChainNode(storage.cas, head);
  return Math.max(timeOfThreadId(thread), node.ok ? node.value.timestamp : 0);
}

/** A run whose uwf or agent is alive or cannot be checked; a run abandoned by both is not current. */
function runningOf(
  context: CommandContext,
  storage: Storage,
  { kind, thread, head }: ThreadState,
): ThreadShowOutput["running"] {
  if (kind === "ended") return null;
  const runs = findRuns(storage, thread);
  const holder = attempt(() => readHolder(storage, thread));
  if (!runs.ok || !holder.ok) {
    const failure = runs.ok ? holder : runs;
    if (!failure.ok) context.warn(`whether a run is under way is not known: ${messageOf(failure.error)}`);
    return null;
  }
  const run = runs.value.findLast(({ record }) => record.head === head);
  return run === undefined ? null : underWay(run, holder.value);
}

function underWay(run: FoundRun, holder: ReturnType<typeof readHolder>): ThreadShowOutput["running"] {
  const judgement = holder === null ? "dead" : judgeHolder(holder);
  const { pid, agentAlive } = runState(run, { elsewhere: judgement === "unknown" });
  if (judgement === "dead" && agentAlive === false) return null;
  const { role, command, startedAt } = run.record;
  const sign = lastSignOfLife(run);
  return {
    role,
    agent: command[0] ?? "",
    since: startedAt,
    pid,
    model: readReport(run)?.model ?? null,
    lastSignOfLife: sign === null ? null : new Date(sign).toISOString(),
  };
}
