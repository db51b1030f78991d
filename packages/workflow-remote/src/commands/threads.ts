import {
  CHANGE_FAULTS,
  type CommandContext,
  defineCommand,
  document,
  lines,
  nextCommand,
  PROMPT_OPTIONS,
  REMOTE_FAULTS,
  storeStart,
  THREAD,
  type UwfCommand,
  WORKFLOW,
} from "@uncaged/cli-workflow/add-on";
import { argument } from "@uncaged/command-line";
import {
  type CasRef,
  err,
  type Fault,
  fault,
  type HistoryReason,
  ok,
  type Result,
  type ThreadId,
} from "@uncaged/workflow-protocol";
import {
  descendantsOf,
  encodedNodes,
  findThread,
  giveToRemote,
  makeWorkspace,
  placeThread,
  readChain,
  readFamily,
  type Storage,
} from "@uncaged/workflow-store";
import { newThreadId } from "@uncaged/workflow-util";
import type { Remote, RemoteThread } from "../types.js";
import { fetchNodes, placeFetched, pushHead, withLease, withRemote } from "../work/index.js";
import { PLACE_OPTIONS, readWorkLocation } from "./worker.js";

/** A new thread, on the remote only, so that no local command steps it by mistake. */
export const submit: UwfCommand = defineCommand({
  path: "thread submit",
  summary: "start a thread on the remote, where workers step it",
  arguments: { workflow: argument(WORKFLOW) },
  options: { ...PROMPT_OPTIONS, ...PLACE_OPTIONS },
  examples: [
    'uwf thread submit solve-issue -p "Fix the login redirect"',
    "uwf thread submit ./solve-issue.yaml --prompt-file task.md --cwd /srv/checkout",
    'uwf thread submit solve-issue -p "Fix #41" --workspace https://git.example/acme/shop.git#main',
  ],
  exits: ["OLDER_ROOT", ...REMOTE_FAULTS],
  sample: {
    line: 'thread submit solve-issue -p "Say hello"',
    prints: `submitted thread 01KAJ5H1ZM6Q8V2T4RXC3B7W2D
next: uwf thread show 01KAJ5H1ZM6Q8V2T4RXC3B7W2D --remote`,
  },
  run: async (context, request) => {
    const place = readWorkLocation(context, request);
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
  },
});

/** Brings a thread of this root to the remote, where workers go on with it. */
export const push: UwfCommand = defineCommand({
  path: "thread push",
  summary: "hand a thread over to the remote, where workers go on with it",
  arguments: { thread: argument(THREAD) },
  options: PLACE_OPTIONS,
  examples: [
    "uwf thread push 01KAJ5E8",
    "uwf thread push 01KAJ5E8 --workspace https://git.example/acme/shop.git#main",
  ],
  notes: "From then on it cannot be stepped here, since a thread stepped in two places would diverge.",
  exits: ["OLDER_ROOT", ...CHANGE_FAULTS, ...REMOTE_FAULTS, "HEAD_MOVED", "CLAIM_LOST"],
  sample: {
    line: "thread push 01KAJ5H1ZM6Q8V2T4RXC3B7W2D",
    prints: "pushed thread 01KAJ5H1ZM6Q8V2T4RXC3B7W2D",
  },
  run: async (context, request) => {
    const given = readWorkLocation(context, request);
    if (!given.ok) return given;
    const place = given.value;
    const isPlaced = place.cwd !== null || place.workspace !== null;
    const opened = context.openStorage();
    if (!opened.ok) return opened;
    const storage = opened.value;
    const found = await findThread(storage, request.thread, context.host.cwd, "change");
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
  },
});

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
      workFolder: null,
    });
    if (!placed.ok) return placed;
    if (placed.value.ahead === 0 && placed.value.ended === null) return ok("unchanged" as const);
    const pushed = await pushHead({ storage, remote }, leased, { ...placed.value, known: [] }, {});
    return pushed.ok ? ok("advanced" as const) : pushed;
  });
}

/** One of the remote, which completion does not ask. */
const REMOTE_THREAD = { ...THREAD, candidates: null };

/** Brings a thread of the remote here, to read it; an active one does not go on here. */
export const fetch: UwfCommand = defineCommand({
  path: "thread fetch",
  summary: "copy a thread of the remote here, to read it",
  arguments: { thread: argument(REMOTE_THREAD) },
  examples: ["uwf thread fetch 01KAJ5E8 && uwf thread read 01KAJ5E8"],
  notes: "Workers go on stepping an active thread at the remote; it cannot be stepped here.",
  exits: ["OLDER_ROOT", ...CHANGE_FAULTS, ...REMOTE_FAULTS, "HEAD_MOVED", "CLAIM_LOST"],
  sample: {
    line: "thread fetch 01KAJ5H1ZM6Q8V2T4RXC3B7W2D",
    prints: `thread 01KAJ5H1ZM6Q8V2T4RXC3B7W2D is here, at 3CZBG03ZSS8T3
next: uwf thread read 01KAJ5H1ZM6Q8V2T4RXC3B7W2D`,
  },
  run: async (context, request) => {
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
  },
});
