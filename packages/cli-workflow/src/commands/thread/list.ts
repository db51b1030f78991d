import { flag, option, type Request, usually } from "@uncaged/command-line";
import { err, messageOf, ok, type ThreadId, type ThreadListItem } from "@uncaged/workflow-protocol";
import { type ListedThread, openThreadList, type Storage, workflowOfHead } from "@uncaged/workflow-store";
import { timeOfThreadId } from "@uncaged/workflow-util";
import { piecesOn } from "../../io.js";
import {
  COUNT,
  type CommandContext,
  defineRootCommand,
  STORED_WORKFLOW,
  WHEN,
  WHEN_WORDS,
} from "../../line/index.js";
import { listRenderer } from "../../render.js";
import { counted, shortIds } from "../../screen/index.js";
import { parseSince } from "../../since.js";
import { type WorkflowFilter, workflowFilter } from "../known-names.js";
import { text } from "../output.js";
import { printTable, silenceReader } from "./list-table.js";
import { threadTree } from "./tree.js";

/** Which of many threads are wanted. */
export type Window = {
  /** Started then or later, epoch ms. */
  readonly since: number | null;
  /** How many, counted from the newest. */
  readonly limit: number | null;
  /** How many newer ones are skipped. */
  readonly offset: number;
};

/** How a thread is examined; `look` returns `null` if it does not belong in the list. */
type Looks<T> = {
  readonly look: (thread: ThreadId) => T | null;
  /** The same question without an answer to show: for threads that are passed over. */
  readonly isListed: (thread: ThreadId) => boolean;
};

/**
 * The threads in the window, oldest first, one by one. Only they are looked at, and those that are newer: `ids` ascend,
 * and so does the time in them.
 */
export function* selectThreads<T>(
  ids: readonly ThreadId[],
  { since, limit, offset }: Window,
  { look, isListed }: Looks<T>,
): Generator<T> {
  const start = since === null ? 0 : ids.findLastIndex((id) => timeOfThreadId(id) < since) + 1;
  const left = ids.slice(start);
  for (let over = offset; over > 0; ) {
    const newest = left.pop();
    if (newest === undefined) return;
    if (isListed(newest)) over -= 1;
  }
  const found: T[] = [];
  for (const id of limit === null ? left : left.reverse()) {
    if (found.length === limit) break;
    const one = look(id);
    if (one !== null && limit === null) yield one;
    else if (one !== null) found.push(one);
  }
  yield* found.reverse();
}

const OPTIONS = {
  all: flag("include ended threads"),
  /** Only the threads whose next step would start nothing. */
  held: flag("only threads that wait: for an answer, for other threads, paused"),
  tree: flag(
    "show which thread started which, and what each waits for; a picture, or with --format a document",
    {
      conflicts: ["held", "workflow", "since", "limit"],
    },
  ),
  workflow: option(STORED_WORKFLOW, "only this workflow: a registered name or a hash"),
  since: option(WHEN, `only threads started since: ${WHEN_WORDS}`),
  limit: option(COUNT, "show at most this many, newest kept"),
  offset: usually(COUNT, 0, "skip this many newer ones"),
};

type ListRequest = Request<Record<never, never>, typeof OPTIONS>;

/**
 * Threads by id; one damaged thread is marked and hides none of the others. Printed as they are read, and nothing is
 * read of those that are not shown.
 */
export const command = defineRootCommand({
  path: "thread list",
  summary: "print the active threads, oldest first",
  options: OPTIONS,
  examples: [
    "uwf thread list",
    "uwf thread list --all --limit 20",
    "uwf thread list --held",
    "uwf thread list --tree",
    "uwf thread list --workflow solve-issue --since 2d",
  ],
  sample: {
    line: "thread list",
    prints: `ID    WORKFLOW      STATE    NEXT      STEPS  STARTED  TASK
W8YB  solve-issue   active   reviewer      2  4 s ago  Fix the login redirect
ZQ5N  publish-note  held     editor        1  1 s ago  Announce the holidays
PHVB  solve-issue   failing  planner       0      now  The tests fail on Windows`,
  },
  onRemote: { conflicts: ["tree", "workflow", "since", "offset"] },
  run: async (context, request, storage) => {
    if (request.tree) return threadTree(context, storage, request.all);
    const since = request.since === null ? ok(null) : parseSince(request.since, context.host.now());
    if (!since.ok) return since;
    const { workflow } = request;
    const filter = workflow === null ? ok(null) : await workflowFilter(storage, workflow);
    if (!filter.ok) return filter;
    const all = request.all && !request.held;
    const list = await openThreadList(storage, { all });
    if (!list.ok) return list;
    const { ids, state: anyState } = list.value;
    // A damaged one may be held too.
    const heldState = (thread: ThreadId): ListedThread | null => {
      const state = anyState(thread);
      return state?.kind === "damaged" || (state?.kind === "active" && state.held !== null) ? state : null;
    };
    const state = request.held ? heldState : anyState;
    const silent = silenceReader(storage, context.host.now());
    const looked = looksOf(storage, { state, filter: filter.value, withDone: all, silent });
    const window = { since: since.value, limit: request.limit, offset: request.offset };
    const found = selectThreads(ids, window, looked.looks);
    const { host, screen, warn } = context;
    if (screen === null) await printItems(context, found);
    else {
      const idOf = shortIds(list.value.everyId(), list.value.ended);
      const printed = { stdout: host.stdout, screen, idOf, held: request.held, warn };
      const count = await printTable(storage, printed, statesOf(found));
      if (count === 0) host.stdout.write(`${noneWords(request)}\n`);
    }
    if (looked.leftOut() > 0)
      warn(
        `${counted(looked.leftOut(), "thread is", "threads are")} left out because the workflow cannot be read; \`uwf thread list\` without --workflow says why`,
      );
    return text("");
  },
});

async function printItems({ host, format }: CommandContext, found: Iterable<Found>): Promise<void> {
  const renderer = listRenderer(format ?? "json");
  const pieces = piecesOn(host.stdout);
  for (const { item } of found) {
    pieces.add(await renderer.item(item));
    if (host.stdout.isClosed()) return;
  }
  pieces.add(renderer.end());
  pieces.flush();
}

function* statesOf(found: Iterable<Found>): Generator<ListedThread> {
  for (const { state } of found) yield state;
}

function noneWords({ all, held, workflow, since, limit, offset }: ListRequest): string {
  if (held) return "no thread waits for anything";
  if (workflow !== null || since !== null || limit !== null || offset > 0) return "no such threads";
  const which = all ? "no threads" : "no active threads";
  return `${which}; \`uwf thread start <workflow> -p <task>\` starts one`;
}

/** A thread that belongs in the list, and what its document says of it. */
type Found = { readonly state: ListedThread; readonly item: ThreadListItem };

type Question = {
  readonly state: (thread: ThreadId) => ListedThread | null;
  readonly filter: WorkflowFilter | null;
  readonly withDone: boolean;
  /** Since when its run has been silent, if that is long; for a document alone. */
  readonly silent: (state: ListedThread) => string | null;
};

/** How the list examines a thread, and how many it left out because their workflow is unknown. */
function looksOf(storage: Storage, { state, filter, withDone, silent }: Question) {
  let leftOut = 0;
  const look = (thread: ThreadId): Found | null => {
    const found = state(thread);
    if (found === null) return null;
    // The history names the workflow of an ended thread: no node has to be read to pass it over.
    if (filter !== null && found.kind === "ended" && !filter(found.workflow)) return null;
    const item = readItem(storage, found, { withDone, silent });
    if (filter === null || found.kind === "ended") return { state: found, item };
    if (item.workflow === null) leftOut += 1;
    return item.workflow !== null && filter(item.workflow) ? { state: found, item } : null;
  };
  const isListed = (thread: ThreadId): boolean =>
    filter === null ? state(thread) !== null : look(thread) !== null;
  const looks: Looks<Found> = { look, isListed };
  return { looks, leftOut: () => leftOut };
}

function readItem(
  storage: Storage,
  state: ListedThread,
  { withDone, silent }: Pick<Question, "withDone" | "silent">,
): ThreadListItem {
  const { thread, head } = state;
  const workflow = state.kind === "damaged" ? err(state.damage) : workflowOfHead(storage.cas, head);
  if (!workflow.ok) return { thread, workflow: null, head, error: messageOf(workflow.error) };
  const item = { thread, workflow: workflow.value, head };
  const lasting = withDone ? { ...item, done: state.kind === "ended" } : item;
  if (state.kind !== "active") return lasting;
  const stuck = state.stuck === null ? lasting : { ...lasting, lastFailure: state.stuck };
  const since = silent(state);
  const answering = since === null ? stuck : { ...stuck, silentSince: since };
  return state.held === null ? answering : { ...answering, held: state.held };
}
