import { resolve } from "node:path";
import {
  type CasRef,
  ENV,
  err,
  type Fault,
  fault,
  type HistoryReason,
  ok,
  type Result,
  type ThreadId,
} from "@uncaged/workflow-protocol";
import type { Leased, Remote, RemoteThread } from "@uncaged/workflow-remote";
import {
  descendantsOf,
  encodedNodes,
  findThread,
  findThreadToChange,
  giveToRemote,
  makeWorkspace,
  placeThread,
  readChain,
  readFamily,
  type Storage,
} from "@uncaged/workflow-store";
import { newThreadId } from "@uncaged/workflow-util";
import { lines, nextCommand, type Screen } from "../../human/index.js";
import type { CommandContext, CommandOutput, CommandResult } from "../../line/index.js";
import {
  fetchLeased,
  fetchNodes,
  onRemoteThread,
  parseGitAddress,
  placeFetched,
  pushHead,
  withLease,
  withRemote,
} from "../../remote/index.js";
import { userName } from "../../user-name.js";
import { document } from "../output.js";
import { type AnswerRequest, threadAnswer } from "./answer.js";
import { storeStart } from "./start.js";

type PlaceRequest = {
  /** Where its agents work, at every worker; `null`: each in an empty folder. */
  readonly cwd: string | null;
  /** A repository where they work, `<url>` or `<url>#<ref>`; `null`: none. */
  readonly workspace: string | null;
};

type SubmitRequest = PlaceRequest & {
  readonly workflow: string;
  readonly prompt: string | null;
  readonly promptFile: string | null;
};

/** A new thread, on the remote only: here nobody steps it by mistake. */
export async function threadSubmit(context: CommandContext, request: SubmitRequest): CommandResult {
  const place = placeIn(context, request);
  if (!place.ok) return place;
  const started = await storeStart(context, request, "thread submit", async () => ok(undefined));
  if (!started.ok) return started;
  const { storage, workflow, head } = started.value;
  const nodes = encodedNodes(storage, head, []);
  if (!nodes.ok) return nodes;
  const thread = await newThreadId(context.host.now());
  const added = await withRemote(context.host, (remote) =>
    remote.add({
      ...{ thread, workflow, head, steps: 0, ...place.value, ended: null },
      nodes: nodes.value,
    }),
  );
  if (!added.ok) return added;
  return document({ workflow, thread }, (screen) => {
    const next = nextCommand(screen, `uwf thread show ${thread} --remote`);
    return lines(screen, [`submitted thread ${thread}`]) + next;
  });
}

/** Where agents work at every worker. */
type WorkPlace = Pick<RemoteThread, "cwd" | "workspace">;

function placeIn({ host }: CommandContext, { cwd, workspace }: PlaceRequest): Result<WorkPlace, Fault> {
  // It has to be there on the workers' machines, not on this one.
  if (workspace === null) return ok({ cwd: cwd === null ? null : resolve(host.cwd, cwd), workspace: null });
  if (cwd !== null) {
    const reason = "its agents would have two folders, that of --cwd and that of --workspace";
    return err(fault("INVALID_INPUT", { what: "--workspace", reason, hint: "leave one of them out" }));
  }
  const address = parseGitAddress(workspace);
  return address.ok ? ok({ cwd: null, workspace: { ...address.value, commit: null } }) : address;
}

type OneThread = { readonly thread: string };

/** Brings a thread of this root to the remote, where workers go on with it. */
export async function threadPush(context: CommandContext, request: OneThread & PlaceRequest): CommandResult {
  const given = placeIn(context, request);
  if (!given.ok) return given;
  const place = given.value;
  const isPlaced = place.cwd !== null || place.workspace !== null;
  const opened = context.openStorage();
  if (!opened.ok) return opened;
  const storage = opened.value;
  const found = await findThreadToChange(storage, request.thread, context.host.cwd);
  if (!found.ok) return found;
  const { thread, head } = found.value;
  const ended = found.value.kind === "ended" ? found.value.reason : null;
  const pushed = await withRemote(context.host, async (remote): Promise<Result<PushOutcome, Fault>> => {
    const there = await remote.find(thread);
    if (there.ok && isPlaced) return err(fault("INVALID_INPUT", PLACED));
    if (there.ok) return pushOn(context, storage, remote, there.value);
    if (there.error.code !== "NOT_ON_REMOTE") return there;
    const own = await standing(storage, { thread, head, ended });
    if (!own.ok) return own;
    const below = await givenBelow(storage, thread);
    if (!below.ok) return below;
    const nodes = new Map(
      [own.value, ...below.value].flatMap(({ nodes: its }) => its.map((each) => [each.hash, each])),
    );
    const added = await remote.add(
      { ...own.value, ...place, nodes: [...nodes.values()] },
      below.value.map(({ nodes: _, ...child }) => ({ ...child, ...place })),
    );
    return added.ok ? ok("added") : added;
  });
  if (!pushed.ok) return pushed;
  if (pushed.value === "added" && !isPlaced && ended === null) context.warn(EMPTY_FOLDER);
  const output = { thread, head, outcome: pushed.value };
  return document(output, (screen) =>
    lines(screen, [
      pushed.value === "unchanged" ? `the remote has ${head} already` : `pushed thread ${thread}`,
    ]),
  );
}

const EMPTY_FOLDER =
  "its agents work in an empty folder of each worker now: nothing of the folder here is there. --cwd or --workspace name another";

const PLACED = {
  what: "thread push",
  reason: "the remote has the thread already, and where its agents work was said then",
  hint: "leave out --cwd and --workspace",
};

type Standing = { readonly thread: ThreadId; readonly head: CasRef; readonly ended: HistoryReason | null };

/** A thread on its way to the remote. From here on it belongs to the workers: stepped here as well, it would go two ways. */
async function standing(storage: Storage, { thread, head, ended }: Standing) {
  const kept = ended === null ? await giveToRemote(storage, thread) : ok(undefined);
  if (!kept.ok) return kept;
  const chain = readChain(storage.cas, head);
  if (!chain.ok) return chain;
  const nodes = encodedNodes(storage, head, []);
  if (!nodes.ok) return nodes;
  const { workflow, steps } = chain.value;
  return ok({ thread, workflow: workflow.hash, head, steps: steps.length, ended, nodes: nodes.value });
}

/** Those below it go with it, ended ones too: its step looks for them, and would start again what it does not find. */
async function givenBelow(storage: Storage, thread: ThreadId) {
  const family = readFamily(storage);
  if (!family.ok) return family;
  const found = [];
  for (const child of descendantsOf(family.value, thread)) {
    const line = family.value.parentOf(child);
    const stands = await findThread(storage, child);
    // A line whose thread is gone was removed by a person, or its start was cut short. At the remote a line counts.
    if (line === null || line.imported || (!stands.ok && stands.error.code === "THREAD_NOT_FOUND")) continue;
    if (!stands.ok) return stands;
    const ended = stands.value.kind === "ended" ? stands.value.reason : null;
    const own = await standing(storage, { thread: child, head: stands.value.head, ended });
    if (!own.ok) return own;
    const { parent, head, role, item, at } = line;
    found.push({ ...own.value, place: { parent, head, role, item, at } });
  }
  return ok(found);
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
    const pushed = await pushHead({ storage, remote }, leased, { ...placed.value, known: [] }, {});
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
  const { cwd } = fetched.value;
  const folder = cwd === null ? makeWorkspace(storage, thread) : ok(cwd);
  if (!folder.ok) return folder;
  const placed = await placeFetched(storage, fetched.value, folder.value);
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

type Head = Parameters<typeof placeThread>[1]["head"];

/** `thread answer` for a thread of the remote: fetched, answered here, pushed. */
export async function threadAnswerRemote(context: CommandContext, request: AnswerRequest): CommandResult {
  // Who only looks changes nothing, here or there.
  if (request.show) {
    return onRemoteThread(context.host, request.thread, (storage, { thread, held }) =>
      threadAnswer(
        { ...context, openStorage: () => ok(storage) },
        { ...request, thread, takeOver: request.takeOver || held?.for === "answer" },
      ),
    );
  }
  const opened = context.openStorage();
  if (!opened.ok) return opened;
  const storage = opened.value;
  return withRemote(context.host, async (remote) => {
    const there = await remote.find(request.thread);
    if (!there.ok) return there;
    const { thread, ended, paused } = there.value;
    if (paused !== null && ended === null)
      return err(fault("THREAD_PAUSED", { thread, why: paused.why, remote: true }));
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
  const taken = await fetchLeased(ends, leased);
  if (!taken.ok) return taken;
  const host = { ...context.host, env: { ...context.host.env, [ENV.leased]: thread } };
  // An agent that asks has said so to the worker that ran it, not to this root.
  const takeOver = request.takeOver || leased.held?.for === "answer";
  const answered = leadingBack(
    await threadAnswer({ ...context, host }, { ...request, thread, takeOver }),
    thread,
  );
  const head = leased.head as Head;
  const placed = await placeThread(ends.storage, { thread, head, folder: null });
  if (!placed.ok) return answered.ok ? placed : answered;
  const { ahead, ended } = placed.value;
  if (ahead === 0 && ended === null) return answered;
  const pushed = await pushHead(
    ends,
    leased,
    { ...placed.value, known: taken.value.known },
    { event: "answered", by: request.by ?? userName(context.host.env) },
  );
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
