import { ENV, err, type Fault, fault, ok, type Result, type ThreadId } from "@uncaged/workflow-protocol";
import type { Leased, Remote, RemoteThread } from "@uncaged/workflow-remote";
import {
  archiveThread,
  claimThread,
  encodedNodes,
  findThreadToChange,
  giveToRemote,
  makeWorkspace,
  placeThread,
  readChain,
  releaseClaim,
  type Storage,
  workflowOfHead,
} from "@uncaged/workflow-store";
import { newThreadId } from "@uncaged/workflow-util";
import { givenFolder } from "../../folder.js";
import { ago, lines, nextCommand } from "../../human/index.js";
import { fetchNodes, giveBack, takeIn, withLease, withRemote } from "../../remote/index.js";
import type { Screen } from "../../screen.js";
import { document } from "../output.js";
import type { CommandContext, CommandOutput, CommandResult } from "../types.js";
import { type AnswerRequest, threadAnswer } from "./answer.js";
import { storeStart } from "./start.js";

type SubmitRequest = {
  readonly workflow: string;
  readonly prompt: string | null;
  readonly promptFile: string | null;
  /** Where its agents work, at every worker; `null`: each in an empty folder. */
  readonly cwd: string | null;
};

/** A new thread, on the remote only: here nobody steps it by mistake. */
export async function threadSubmit(context: CommandContext, request: SubmitRequest): CommandResult {
  const started = await storeStart(context, request);
  if (!started.ok) return started;
  const { storage, workflow, head } = started.value;
  const folder = givenFolder(context.host.cwd, request.cwd);
  if (!folder.ok) return folder;
  const nodes = encodedNodes(storage, head, []);
  if (!nodes.ok) return nodes;
  const thread = await newThreadId(context.host.now());
  const added = await withRemote(context.host, (remote) =>
    remote.add({ thread, workflow, head, steps: 0, cwd: folder.value, ended: null, nodes: nodes.value }),
  );
  if (!added.ok) return added;
  return document({ workflow, thread }, (screen) => {
    const next = nextCommand(screen, `uwf thread show ${thread} --remote`);
    return lines(screen, [`submitted thread ${thread}`]) + next;
  });
}

type OneThread = { readonly thread: string };

/** Brings a thread of this root to the remote, where workers go on with it. */
export async function threadPush(context: CommandContext, request: OneThread): CommandResult {
  const opened = context.openStorage();
  if (!opened.ok) return opened;
  const storage = opened.value;
  const found = await findThreadToChange(storage, request.thread, context.host.cwd);
  if (!found.ok) return found;
  const { thread, head } = found.value;
  const ended = found.value.kind === "ended" ? found.value.reason : null;
  const workflow = workflowOfHead(storage.cas, head);
  if (!workflow.ok) return workflow;
  const pushed = await withRemote(context.host, async (remote): Promise<Result<PushOutcome, Fault>> => {
    const there = await remote.find(thread);
    if (there.ok) return pushOn(context, storage, remote, there.value);
    if (there.error.code !== "NOT_ON_REMOTE") return there;
    // From here on it belongs to the workers: stepped here as well, it would go two ways.
    const kept = ended === null ? await giveToRemote(storage, thread) : ok(undefined);
    if (!kept.ok) return kept;
    const chain = readChain(storage.cas, head);
    if (!chain.ok) return chain;
    const nodes = encodedNodes(storage, head, []);
    if (!nodes.ok) return nodes;
    const steps = chain.value.steps.length;
    const added = await remote.add({
      ...{ thread, workflow: workflow.value, head, steps, cwd: null, ended },
      nodes: nodes.value,
    });
    return added.ok ? ok("added") : added;
  });
  if (!pushed.ok) return pushed;
  const output = { thread, head, outcome: pushed.value };
  return document(output, (screen) =>
    lines(screen, [
      pushed.value === "unchanged" ? `the remote has ${head} already` : `pushed thread ${thread}`,
    ]),
  );
}

type PushOutcome = "added" | "advanced" | "unchanged";

async function pushOn(
  { host }: CommandContext,
  storage: Storage,
  remote: Remote,
  there: RemoteThread,
): Promise<Result<PushOutcome, Fault>> {
  return withLease(remote, there, host.newToken(), async (leased) => {
    const nodes = await fetchNodes({ storage, remote }, leased);
    if (!nodes.ok) return nodes;
    const placed = await placeThread(storage, {
      thread: leased.thread as ThreadId,
      head: nodes.value,
      folder: null,
    });
    if (!placed.ok) return placed;
    if (placed.value.ahead === 0 && placed.value.ended === null) return ok("unchanged" as const);
    const pushed = await giveBack({ storage, remote }, leased, placed.value, {});
    return pushed.ok ? ok("advanced" as const) : pushed;
  });
}

/** Brings a thread of the remote here, to read it; an active one does not go on here. */
export async function threadFetch(context: CommandContext, request: OneThread): CommandResult {
  const opened = context.openStorage();
  if (!opened.ok) return opened;
  const storage = opened.value;
  const fetched = await withRemote(context.host, async (remote) => {
    const there = await remote.find(request.thread);
    if (!there.ok) return there;
    const head = await fetchNodes({ storage, remote }, there.value);
    return head.ok ? ok(there.value) : head;
  });
  if (!fetched.ok) return fetched;
  const { head, steps, ended } = fetched.value;
  const thread = fetched.value.thread as ThreadId;
  const placed = await bringHere(context, storage, fetched.value);
  if (!placed.ok) return placed;
  const { withdrawn } = placed.value;
  if (withdrawn !== null) {
    context.warn(
      `thread ${thread} was at ${withdrawn} here, which the remote's does not reach; \`uwf thread fork ${withdrawn}\` goes on from it`,
    );
  }
  return document({ thread, head: placed.value.head, steps, ended }, (screen) => {
    const next = nextCommand(screen, `uwf thread read ${thread}`);
    return lines(screen, [`thread ${thread} is here, at ${head}`]) + next;
  });
}

async function bringHere(
  { host }: CommandContext,
  storage: Storage,
  { workflow, cwd, ended, ...at }: RemoteThread,
): Promise<Result<Here, Fault>> {
  const [thread, head] = [at.thread as ThreadId, at.head as Head];
  const folder = cwd === null ? makeWorkspace(storage, thread) : ok(cwd);
  if (!folder.ok) return folder;
  const placed = await placeThread(storage, { thread, head, folder: folder.value });
  if (!placed.ok || placed.value.ended !== null || ended === null) return placed;
  const claim = await claimThread(storage, thread, { waitMs: 0 });
  if (!claim.ok) return claim;
  const line = { thread, workflow: workflow as Head, head, reason: ended, completedAt: host.now() };
  const archived = await archiveThread(storage, line, claim.value);
  const released = releaseClaim(claim.value);
  if (!archived.ok) return archived;
  return released.ok ? ok({ head, withdrawn: placed.value.withdrawn }) : released;
}

/** Where a fetched thread stands here, and where it stood if that is lost to it. */
type Here = { readonly head: string; readonly withdrawn: string | null };

type Head = Parameters<typeof placeThread>[1]["head"];

/** `thread answer` for a thread of the remote: fetched, answered here, pushed. */
export async function threadAnswerRemote(context: CommandContext, request: AnswerRequest): CommandResult {
  const opened = context.openStorage();
  if (!opened.ok) return opened;
  const storage = opened.value;
  return withRemote(context.host, async (remote) => {
    const there = await remote.find(request.thread);
    if (!there.ok) return there;
    return withLease(remote, there.value, context.host.newToken(), (leased) =>
      answerLeased(context, { storage, remote }, leased, request),
    );
  });
}

async function answerLeased(
  context: CommandContext,
  ends: { readonly storage: Storage; readonly remote: Remote },
  leased: Leased,
  request: AnswerRequest,
): Promise<Result<CommandOutput, Fault>> {
  const thread = leased.thread as ThreadId;
  const taken = await takeIn(ends, leased);
  if (!taken.ok) return taken;
  const host = { ...context.host, env: { ...context.host.env, [ENV.leased]: thread } };
  const answered = leadingBack(await threadAnswer({ ...context, host }, { ...request, thread }), thread);
  const head = leased.head as Head;
  const placed = await placeThread(ends.storage, { thread, head, folder: null });
  if (!placed.ok) return answered.ok ? placed : answered;
  const { ahead, ended } = placed.value;
  if (ahead === 0 && ended === null) return answered;
  const pushed = await giveBack(ends, leased, placed.value, { event: "answered" });
  if (!pushed.ok) return pushed;
  if (pushed.value.kind === "moved") return answered;
  const found = pushed.value.head ?? "nothing";
  return err(fault("HEAD_MOVED", { thread, expected: head, found }));
}

/** Who has answered looks at the remote next: here the thread is only a copy. */
function leadingBack(answered: Result<CommandOutput, Fault>, thread: ThreadId): Result<CommandOutput, Fault> {
  if (!answered.ok || answered.value.kind !== "document" || answered.value.human === null) return answered;
  const human = (screen: Screen): string =>
    lines(screen, [`answered thread ${thread} of the remote`]) +
    nextCommand(screen, `uwf thread show ${thread} --remote`);
  return ok({ ...answered.value, human });
}

type RemoteListRequest = {
  readonly all: boolean;
  readonly held: boolean;
  readonly limit: number | null;
};

export async function threadListRemote({ host }: CommandContext, request: RemoteListRequest): CommandResult {
  const listed = await withRemote(host, (remote) => remote.list({ ...request, workflow: null }));
  if (!listed.ok) return listed;
  return document(listed.value, (screen) =>
    lines(
      screen,
      listed.value.map((each) => stateOf(each, host.now())),
    ),
  );
}

export async function threadShowRemote({ host }: CommandContext, { thread }: OneThread): CommandResult {
  const shown = await withRemote(host, async (remote) => {
    const there = await remote.find(thread);
    if (!there.ok) return there;
    const log = await remote.events(there.value.thread, LOG_LINES);
    return log.ok ? ok({ ...there.value, log: log.value }) : log;
  });
  if (!shown.ok) return shown;
  return document(shown.value, (screen) =>
    lines(screen, [
      stateOf(shown.value, host.now()),
      ...shown.value.log.map(({ at, entry }) => `${ago(at, host.now())}: ${JSON.stringify(entry)}`),
    ]),
  );
}

/** The newest so many. */
const LOG_LINES = 50;

function stateOf({ thread, steps, ended, held, leasedBy, changedAt }: RemoteThread, now: number): string {
  const question = held?.question ? `: ${held.question}` : "";
  const waits =
    held === null ? "ready" : `${held.for === "failure" ? "failed" : `waits for ${held.for}`}${question}`;
  const state = ended ?? (held === null && leasedBy !== null ? "at a worker" : waits);
  return `${thread}  step ${steps}, ${ago(changedAt, now)}  ${state}`;
}

/** Ends a thread of the remote. A step that runs is stopped by its worker, and could be pushed no more. */
export async function threadKillRemote({ host }: CommandContext, request: OneThread): CommandResult {
  const killed = await withRemote(host, async (remote) => {
    const there = await remote.find(request.thread);
    if (!there.ok) return there;
    const { thread } = there.value;
    const done = await remote.kill(thread);
    if (!done.ok) return done;
    if (done.value) return ok(thread);
    const reason = there.value.ended ?? "end";
    return err(fault("THREAD_ENDED", { thread, reason }));
  });
  if (!killed.ok) return killed;
  return document({ thread: killed.value, archived: true, children: [] }, (screen) =>
    lines(screen, [`killed thread ${killed.value}`]),
  );
}

/** Lets a thread go on that was put aside after a failure, or is held. */
export async function threadResumeRemote({ host }: CommandContext, request: OneThread): CommandResult {
  const resumed = await withRemote(host, async (remote) => {
    const there = await remote.find(request.thread);
    if (!there.ok) return there;
    const { thread, ended } = there.value;
    if (ended !== null) return err(fault("THREAD_ENDED", { thread, reason: ended }));
    const done = await remote.resume(thread);
    return done.ok ? ok({ thread, paused: false, children: [], running: null, was: done.value }) : done;
  });
  if (!resumed.ok) return resumed;
  const { was, ...output } = resumed.value;
  return document(output, (screen) =>
    lines(screen, [`thread ${output.thread} ${was ? "goes on" : "was not held"}`]),
  );
}
