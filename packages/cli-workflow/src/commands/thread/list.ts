import { err, messageOf, ok, type ThreadId, type ThreadListItem } from "@uncaged/workflow-protocol";
import { type ListedThread, openThreadList, type Storage, workflowOfHead } from "@uncaged/workflow-store";
import { piecesOn } from "../../io/index.js";
import { listRenderer } from "../../render/index.js";
import { parseSince } from "../../since/index.js";
import { type WorkflowFilter, workflowFilter } from "../../workflow-filter/index.js";
import { text } from "../output.js";
import type { CommandContext, CommandResult } from "../types.js";
import { type Looks, selectThreads } from "./select.js";

type ListRequest = {
  readonly all: boolean;
  readonly workflow: string | null;
  readonly since: string | null;
  readonly limit: number | null;
  readonly offset: number;
};

/**
 * Threads by id; one damaged thread is marked and hides none of the others. Printed as they are read, and nothing is
 * read of those that are not shown.
 */
export async function threadList(context: CommandContext, request: ListRequest): CommandResult {
  const storage = context.openStorage();
  if (!storage.ok) return storage;
  const since = request.since === null ? ok(null) : parseSince(request.since, context.host.now());
  if (!since.ok) return since;
  const { workflow } = request;
  const filter = workflow === null ? ok(null) : await workflowFilter(storage.value, workflow);
  if (!filter.ok) return filter;
  const list = await openThreadList(storage.value, { all: request.all });
  if (!list.ok) return list;
  const { ids, state } = list.value;
  const looked = looksOf(storage.value, { state, filter: filter.value, withDone: request.all });
  const window = { since: since.value, limit: request.limit, offset: request.offset };
  await printItems(context, selectThreads(ids, window, looked.looks));
  if (looked.leftOut() > 0) context.warn(leftOutWords(looked.leftOut()));
  return text("");
}

async function printItems({ host, format }: CommandContext, items: Iterable<ThreadListItem>): Promise<void> {
  const renderer = listRenderer(format ?? "json");
  const pieces = piecesOn(host.stdout);
  for (const item of items) {
    pieces.add(await renderer.item(item));
    if (host.stdout.isClosed()) return;
  }
  pieces.add(renderer.end());
  pieces.flush();
}

type Question = {
  readonly state: (thread: ThreadId) => ListedThread | null;
  readonly filter: WorkflowFilter | null;
  readonly withDone: boolean;
};

/** How the list looks at a thread, and how many it had to leave out because nobody can tell whose workflow they are of. */
function looksOf(storage: Storage, { state, filter, withDone }: Question) {
  let leftOut = 0;
  const look = (thread: ThreadId): ThreadListItem | null => {
    const found = state(thread);
    if (found === null) return null;
    if (filter === null) return itemOf(storage, found, withDone);
    // The history names the workflow of an ended thread: no node has to be read to pass it over.
    if (found.kind === "ended") return filter(found.workflow) ? itemOf(storage, found, withDone) : null;
    const item = itemOf(storage, found, withDone);
    if (item.workflow === null) leftOut += 1;
    return item.workflow !== null && filter(item.workflow) ? item : null;
  };
  const isListed = (thread: ThreadId): boolean =>
    filter === null ? state(thread) !== null : look(thread) !== null;
  const looks: Looks<ThreadListItem> = { look, isListed };
  return { looks, leftOut: () => leftOut };
}

function itemOf(storage: Storage, state: ListedThread, withDone: boolean): ThreadListItem {
  const { thread, head } = state;
  const workflow = state.kind === "damaged" ? err(state.damage) : workflowOfHead(storage.cas, head);
  if (!workflow.ok) return { thread, workflow: null, head, error: messageOf(workflow.error) };
  const item = { thread, workflow: workflow.value, head };
  const lasting = withDone ? { ...item, done: state.kind === "ended" } : item;
  return state.kind === "active" && state.stuck !== null ? { ...lasting, lastFailure: state.stuck } : lasting;
}

function leftOutWords(count: number): string {
  const threads = count === 1 ? "1 thread is" : `${count} threads are`;
  return `${threads} left out, for the workflow cannot be read; \`uwf thread list\` without --workflow says why`;
}
