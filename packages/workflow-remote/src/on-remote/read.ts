import {
  type CommandContext,
  type CommandOutput,
  type CommandResult,
  document,
  lines,
  logTable,
  nextCommand,
  parseSince,
  type Screen,
  workflowName,
} from "@uncaged/cli-workflow/add-on";
import { type CasRef, type Fault, hintOf, messageOf, ok, type Result } from "@uncaged/workflow-protocol";
import type { Storage } from "@uncaged/workflow-store";
import type { RemoteThread } from "../types.js";
import {
  inScratch,
  isTriedAgain,
  logLinesOf,
  onRemoteThread,
  threadTable,
  withRemote,
} from "../work/index.js";

// The commands that read, with --remote.

type OfThread = { readonly thread: string };

/** What a command prints of a copy of the thread: the command works as ever, on a storage root that goes afterwards. */
export function readOnRemote(context: CommandContext, request: OfThread, run: Run): CommandResult {
  return onRemoteThread(context.host, request.thread, async (storage, { thread }) =>
    rendered(context, await run(on(context, storage), { ...request, thread })),
  );
}

/** What a person sees is made while the copy is there. */
async function rendered(
  { screen }: CommandContext,
  read: Result<CommandOutput, Fault>,
): Promise<Result<CommandOutput, Fault>> {
  if (!read.ok || screen === null || read.value.kind !== "document" || read.value.human === null) return read;
  const seen = await read.value.human(screen);
  return ok({ ...read.value, human: () => seen });
}

function on(context: CommandContext, storage: Storage): CommandContext {
  return { ...context, openStorage: () => ok(storage) };
}

type RemoteListRequest = { readonly all: boolean; readonly held: boolean; readonly limit: number | null };

export async function listOnRemote(context: CommandContext, request: RemoteListRequest): CommandResult {
  const listed = await withRemote(context.host, (remote) => remote.list({ ...request, workflow: null }));
  if (!listed.ok) return listed;
  const { threads, wrong } = listed.value;
  for (const row of wrong.slice(0, MOST_WRONG)) context.warn(`${messageOf(row)}; ${hintOf(row)}`);
  if (wrong.length > MOST_WRONG) context.warn(`${wrong.length - MOST_WRONG} more rows like these`);
  return document(threads, (screen) =>
    threads.length === 0
      ? lines(screen, [noneWords(request)])
      : threadTable(screen, threads, namesIn(context)),
  );
}

/** Rows that are named one by one. */
const MOST_WRONG = 20;

/** The names of workflows that this root has too; others are hashes. */
function namesIn({ openStorage }: CommandContext): (workflow: CasRef) => string {
  const storage = openStorage();
  return (workflow) => (storage.ok ? workflowName(storage.value, workflow) : workflow);
}

function noneWords({ all, held }: RemoteListRequest): string {
  if (held) return "no thread of the remote waits for anything";
  const which = all ? "no threads" : "no active threads";
  return `the remote has ${which}; \`uwf thread submit <workflow> -p <task>\` starts one`;
}

export async function showOnRemote(context: CommandContext, { thread }: OfThread): CommandResult {
  const shown = await withRemote(context.host, async (remote) => {
    const there = await remote.find(thread);
    if (!there.ok) return there;
    const events = await remote.events({ threads: [there.value.thread], since: null, limit: LOG_LINES });
    if (!events.ok) return events;
    return ok({ ...there.value, log: events.value.map(({ at, entry }) => ({ at, entry })) });
  });
  if (!shown.ok) return shown;
  const { log: told, ...state } = shown.value;
  const events = told.map((line) => ({ ...line, thread: state.thread }));
  return document(shown.value, async (screen) => {
    const next = nextOf(state);
    const tail = next === null ? "" : nextCommand(screen, next);
    const where = workspaceWords(state.workspace, state.thread);
    return (
      threadTable(screen, [state], namesIn(context)) +
      lines(screen, where) +
      (await logText(screen, events)) +
      tail
    );
  });
}

function workspaceWords(workspace: RemoteThread["workspace"], thread: string): readonly string[] {
  if (workspace === null) return [];
  const { git, ref, commit } = workspace;
  const at =
    commit === null ? `begins with ${ref ?? "its default branch"}` : `is at commit ${commit.slice(0, 12)}`;
  return [`works in ${git}, on the branch uwf/${thread}, and ${at}`];
}

/** What a person can do; `null`: workers go on. */
function nextOf({ thread, ended, held, paused }: RemoteThread): string | null {
  if (ended !== null) return `uwf thread read ${thread} --remote`;
  if (paused !== null || (held?.for === "failure" && !isTriedAgain(held)))
    return `uwf thread resume ${thread} --remote`;
  return held?.for === "answer" ? `uwf thread answer ${thread} --remote` : null;
}

/** The newest so many. */
const LOG_LINES = 50;

async function logText(screen: Screen, events: Parameters<typeof logLinesOf>[0]): Promise<string> {
  const table = logTable(screen, null);
  const parts: string[] = [];
  for (const line of logLinesOf(events)) parts.push(await table.item({ ...line, line }));
  return parts.join("") + table.end();
}

type RemoteLogRequest = {
  readonly thread: string | null;
  readonly since: string | null;
  readonly limit: number | null;
};

/** Newest entries of a remote's log that are read if no number is given: it may be larger than memory. */
const MOST_LINES = 1000;

/** The log of a remote, or of one of its threads. */
export function logOnRemote(context: CommandContext, request: RemoteLogRequest, run: Run): CommandResult {
  const { host } = context;
  const since = request.since === null ? ok(null) : parseSince(request.since, host.now());
  if (!since.ok) return Promise.resolve(since);
  const limit = request.limit ?? MOST_LINES;
  return withRemote(host, async (remote) => {
    const found = request.thread === null ? ok(null) : await remote.find(request.thread);
    if (!found.ok) return found;
    const threads = found.value === null ? null : [found.value.thread];
    const events = await remote.events({ threads, since: since.value, limit });
    if (!events.ok) return events;
    return inScratch(host, events.value, (storage) =>
      run(
        { ...context, openStorage: () => ok(storage) },
        { thread: null, since: null, follow: false, limit },
      ),
    );
  });
}

/** The same command on a storage root. */
export type Run = (context: CommandContext, request: object) => CommandResult;
