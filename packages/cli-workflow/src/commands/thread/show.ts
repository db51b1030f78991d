import { argument } from "@uncaged/command-line";
import { type ThreadView, threadView } from "@uncaged/workflow-engine";
import { type CasRef, messageOf, ok, type ThreadShowOutput } from "@uncaged/workflow-protocol";
import { findThread, readNotes, type Storage, workflowOfHead } from "@uncaged/workflow-store";
import { type CommandContext, defineCommand, THREAD } from "../../line/index.js";
import { document } from "../output.js";
import { changedWorkflow } from "./changed.js";

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
  onRemote: {},
  run: async (context, request) => {
    const storage = context.openStorage();
    if (!storage.ok) return storage;
    const found = await findThread(storage.value, request.thread, context.host.cwd);
    if (!found.ok) return found;
    const { thread, head } = found.value;
    const workflow = workflowOfHead(storage.value.cas, head);
    if (!workflow.ok) return workflow;
    const read = await threadView(storage.value, found.value, { warn: context.warn });
    if (!read.ok) return read;
    const view = read.value;
    const { ended, held, run } = view;
    const notes = ended === null ? readNotes(storage.value, thread) : ok([]);
    if (!notes.ok) return notes;
    const shown: ThreadShowOutput = {
      workflow: workflow.value,
      thread,
      head,
      ...(ended === null ? { done: false } : { done: true, reason: ended.reason }),
      cwd: folderOf(context, view),
      ...failuresOf(context, view),
      running: run.running,
      held,
      notes: notes.value,
      ...kinOf(context, view),
      leftRun: run.leftRun,
      ...(await findChanged(storage.value, view, workflow.value)),
    };
    return document(shown, async (screen) => {
      const { showFields } = await import("./show-fields.js");
      return showFields(screen, storage.value, view, shown);
    });
  },
});

async function findChanged(
  storage: Storage,
  { thread, head, ended }: ThreadView,
  workflow: CasRef,
): Promise<Pick<ThreadShowOutput, "changed">> {
  const changed = ended === null ? await changedWorkflow(storage, { thread, head, workflow }) : null;
  return changed === null ? {} : { changed };
}

/** The thread that has started it, and those that it has started. */
function kinOf(context: CommandContext, view: ThreadView): Pick<ThreadShowOutput, "parent" | "children"> {
  const kin = view.kin();
  if (!kin.ok) {
    context.warn(messageOf(kin.error));
    return { parent: null, children: [] };
  }
  const { parent: line } = kin.value;
  const parent = line === null ? null : { thread: line.parent, role: line.role, item: line.item };
  const children = kin.value.children.map(({ child, role, item }) => ({ thread: child, role, item }));
  return { parent, children };
}

/** An unknown part does not hide the rest. */
function folderOf(context: CommandContext, view: ThreadView): string | null {
  const folder = view.workFolder();
  if (folder.ok) return folder.value;
  context.warn(messageOf(folder.error));
  return null;
}

/** The log is not part of the state: if it cannot be read, a warning is printed and nothing else changes. */
function failuresOf(
  context: CommandContext,
  { stuck, failures }: ThreadView,
): Pick<ThreadShowOutput, "runs" | "lastFailure"> {
  const runs = failures();
  if (runs.ok) {
    const { failed, abandoned, last } = runs.value;
    // No run of an agent comes after a decision that leads nowhere.
    return { runs: { failed, abandoned }, lastFailure: stuck ?? last };
  }
  // Logs are private to their owner: for everybody else "not known" is the usual answer, and nothing is wrong.
  const { error } = runs;
  if (error.code === "IO_FAILED" && error.errno === "EACCES") return { runs: null, lastFailure: stuck };
  context.warn(`the failed runs are not known: ${messageOf(error)}`);
  return { runs: null, lastFailure: stuck };
}
