import { flag, option, type Request, usually } from "@uncaged/command-line";
import {
  type CasRef,
  err,
  type Fault,
  messageOf,
  ok,
  type Result,
  type ThreadId,
  type ThreadListItem,
} from "@uncaged/workflow-protocol";
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
import { workflowFilter } from "../known-names.js";
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

/**
 * The threads in the window, oldest first, one by one; `look` returns `null` if one does not belong in the list. Only they
 * are looked at, and those that are newer: `ids` ascend, and so does the time in them.
 */
export function* selectThreads<T>(
  ids: readonly ThreadId[],
  { since, limit, offset }: Window,
  look: (thread: ThreadId) => T | null,
): Generator<T> {
  const start = since === null ? 0 : ids.findLastIndex((id) => timeOfThreadId(id) < since) + 1;
  const left = ids.slice(start);
  for (let over = offset; over > 0; ) {
    const newest = left.pop();
    if (newest === undefined) return;
    if (look(newest) !== null) over -= 1;
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
    let leftOut = 0;
    /** Of those that have been read to know whether they belong in the list. */
    const known = new Map<ThreadId, Result<CasRef, Fault>>();
    const look = (thread: ThreadId): ListedThread | null => {
      const found = state(thread);
      if (found === null || filter.value === null) return found;
      // The history names the workflow of an ended thread: no node has to be read to pass it over.
      const workflow = found.kind === "ended" ? ok(found.workflow) : workflowIn(storage, found);
      if (!workflow.ok) leftOut += 1;
      if (!workflow.ok || !filter.value(workflow.value)) return null;
      if (found.kind !== "ended") known.set(thread, workflow);
      return found;
    };
    const found = selectThreads(
      ids,
      { since: since.value, limit: request.limit, offset: request.offset },
      look,
    );
    const { host, screen, warn } = context;
    if (screen === null) {
      const silent = silenceReader(storage, host.now());
      await printItems(context, found, (state) => {
        const workflow = known.get(state.thread) ?? workflowIn(storage, state);
        return readItem(state, workflow, all, silent);
      });
    } else {
      const idOf = shortIds(list.value.everyId(), list.value.ended);
      const printed = { stdout: host.stdout, screen, idOf, held: request.held, warn };
      const count = await printTable(storage, printed, found);
      if (count === 0) host.stdout.write(`${noneWords(request)}\n`);
    }
    if (leftOut > 0)
      warn(
        `${counted(leftOut, "thread is", "threads are")} left out because the workflow cannot be read; \`uwf thread list\` without --workflow says why`,
      );
    return text("");
  },
});

async function printItems(
  { host, format }: CommandContext,
  found: Iterable<ListedThread>,
  read: (state: ListedThread) => ThreadListItem,
): Promise<void> {
  const renderer = listRenderer(format ?? "json");
  const pieces = piecesOn(host.stdout);
  for (const state of found) {
    pieces.add(await renderer.item(read(state)));
    if (host.stdout.isClosed()) return;
  }
  pieces.add(renderer.end());
  pieces.flush();
}

function noneWords({ all, held, workflow, since, limit, offset }: ListRequest): string {
  if (held) return "no thread waits for anything";
  if (workflow !== null || since !== null || limit !== null || offset > 0) return "no such threads";
  const which = all ? "no threads" : "no active threads";
  return `${which}; \`uwf thread start <workflow> -p <task>\` starts one`;
}

function workflowIn({ cas }: Storage, state: ListedThread): Result<CasRef, Fault> {
  return state.kind === "damaged" ? err(state.damage) : workflowOfHead(cas, state.head);
}

/** `withDone`: whether ended ones are in the list; `silent`: since when its run has been silent, if that is long. */
function readItem(
  state: ListedThread,
  workflow: Result<CasRef, Fault>,
  withDone: boolean,
  silent: (state: ListedThread) => string | null,
): ThreadListItem {
  const { thread, head } = state;
  if (!workflow.ok) return { thread, workflow: null, head, error: messageOf(workflow.error) };
  const item = { thread, workflow: workflow.value, head };
  const lasting = withDone ? { ...item, done: state.kind === "ended" } : item;
  if (state.kind !== "active") return lasting;
  const { stuck, held } = state;
  const since = silent(state);
  return {
    ...lasting,
    ...(stuck === null ? {} : { lastFailure: stuck }),
    ...(since === null ? {} : { silentSince: since }),
    ...(held === null ? {} : { held }),
  };
}
