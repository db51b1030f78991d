import { argument } from "@uncaged/command-line";
import { decideOnward, type RunAt, runAt } from "@uncaged/workflow-engine";
import {
  type CasRef,
  messageOf,
  ok,
  type RoutingFailure,
  type ThreadId,
  type ThreadShowOutput,
} from "@uncaged/workflow-protocol";
import {
  arrivedAt,
  findHeld,
  findThread,
  openHistory,
  readFailedRuns,
  readFamily,
  readFolder,
  readNotes,
  readStuck,
  type Storage,
  type ThreadState,
  workflowOfHead,
} from "@uncaged/workflow-store";
import { type CommandContext, defineCommand, THREAD } from "../../line/index.js";
import { document } from "../output.js";
import { changedWorkflow } from "./changed.js";
import { byVisit } from "./visits.js";

export const command = defineCommand({
  path: "thread show",
  summary: "print the state of a thread",
  arguments: { thread: argument(THREAD) },
  examples: ["uwf thread show 01KAJ5E8"],
  exits: ["OLDER_ROOT"],
  sample: {
    line: "thread show W8YB",
    prints: `thread    01KAJ5E8ZJ4N7XK3M9T2V6W8YB
workflow  solve-issue
state     active
…`,
  },
  onRemote: {
    run: async (context, request) => (await import("./remote-read.js")).threadShowRemote(context, request),
  },
  run: async (context, request) => {
    const storage = context.openStorage();
    if (!storage.ok) return storage;
    const found = await findThread(storage.value, request.thread, context.host.cwd);
    if (!found.ok) return found;
    const state = found.value;
    const { thread, head } = state;
    const workflow = workflowOfHead(storage.value.cas, head);
    if (!workflow.ok) return workflow;
    const held = state.kind === "ended" ? ok(null) : await findHeld(storage.value, state);
    if (!held.ok) return held;
    const notes = state.kind === "ended" ? ok([]) : readNotes(storage.value, state.thread);
    if (!notes.ok) return notes;
    const run = runOf(context, storage.value, state);
    const isUnderWay = run.running !== null || run.leftRun !== null;
    const stuck = isUnderWay ? null : await stuckAt(context, storage.value, state);
    const shown: ThreadShowOutput = {
      workflow: workflow.value,
      thread,
      head,
      ...(state.kind === "ended" ? { done: true, reason: state.reason } : { done: false }),
      cwd: folderOf(context, storage.value, state),
      ...failuresOf(context, storage.value, state, stuck),
      running: run.running,
      held: held.value,
      notes: notes.value,
      ...kinOf(context, storage.value, thread),
      leftRun: run.leftRun,
      ...(await changedOf(storage.value, state, workflow.value)),
    };
    return document(shown, async (screen) => {
      const { showFields } = await import("./show-fields.js");
      return showFields(screen, storage.value, shown);
    });
  },
});

async function changedOf(
  storage: Storage,
  { kind, thread, head }: ThreadState,
  workflow: CasRef,
): Promise<Pick<ThreadShowOutput, "changed">> {
  if (kind === "ended") return {};
  const changed = await changedWorkflow(storage, { thread, head, workflow });
  return changed === null ? {} : { changed };
}

/** The thread that has started it, and those that it has started. */
function kinOf(
  context: CommandContext,
  storage: Storage,
  thread: ThreadId,
): Pick<ThreadShowOutput, "parent" | "children"> {
  const family = readFamily(storage);
  if (!family.ok) {
    context.warn(messageOf(family.error));
    return { parent: null, children: [] };
  }
  const line = family.value.parentOf(thread);
  const parent = line === null ? null : { thread: line.parent, role: line.role, item: line.item };
  const children = byVisit(family.value.childrenOf(thread)).map(({ child, role, item }) => ({
    thread: child,
    role,
    item,
  }));
  return { parent, children };
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
  stuck: RoutingFailure | null,
): Pick<ThreadShowOutput, "runs" | "lastFailure"> {
  const { thread, head } = state;
  const arrived = arrivedAt(storage, state);
  // The clock went back: everything since then has an earlier time.
  const since = arrived > context.host.now() ? 0 : arrived;
  const runs = readFailedRuns(storage, { thread, head, since });
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

/** Why no decision leads on, noted by a step or decided now: no run of an agent comes after that. */
async function stuckAt(
  context: CommandContext,
  storage: Storage,
  state: ThreadState,
): Promise<RoutingFailure | null> {
  if (state.kind === "ended") return null;
  const noted = readStuck(storage, state);
  if (noted.ok && noted.value !== null) return noted.value;
  if (!noted.ok) context.warn(`whether the thread is stuck was not noted: ${messageOf(noted.error)}`);
  const chain = openHistory(storage.cas, state.head);
  return chain.ok ? (await decideOnward(storage, state, chain.value)).stuck : null;
}

/** If the run cannot be read, warns and shows none. */
function runOf(context: CommandContext, storage: Storage, { kind, thread, head }: ThreadState): RunAt {
  const none: RunAt = { running: null, leftRun: null };
  if (kind === "ended") return none;
  const run = runAt(storage, { thread, head });
  if (run.ok) return run.value;
  context.warn(`whether a run is under way is not known: ${messageOf(run.error)}`);
  return none;
}
