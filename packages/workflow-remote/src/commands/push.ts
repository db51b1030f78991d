import {
  CHANGE_FAULTS,
  type CommandContext,
  defineCommand,
  document,
  lines,
  REMOTE_FAULTS,
  THREAD,
  type UwfCommand,
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
  findThreadToChange,
  giveToRemote,
  placeThread,
  readChain,
  readFamily,
  type Storage,
} from "@uncaged/workflow-store";
import type { Remote, RemoteThread } from "../types.js";
import { fetchNodes, pushHead, withLease, withRemote } from "../work/index.js";
import { PLACE_OPTIONS, readWorkLocation } from "./work-location.js";

/** Brings a thread of this root to the remote, where workers go on with it. */
export const command: UwfCommand = defineCommand({
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
