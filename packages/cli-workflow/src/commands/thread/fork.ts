import { argument, flag, option } from "@uncaged/command-line";
import { assembledOf, givenFolder, resolveWorkflow, storeWorkflow } from "@uncaged/workflow-engine";
import {
  type CasRef,
  type Fault,
  type ForkOutput,
  ok,
  type Result,
  type ThreadId,
  type WorkflowForkOutput,
} from "@uncaged/workflow-protocol";
import {
  addSuccessor,
  adoptChildren,
  type Chain,
  listThreads,
  readChain,
  readChainNode,
  readThreadRecord,
  readWorkFolder,
  type Storage,
  writeThreadRecord,
} from "@uncaged/workflow-store";
import { newThreadId } from "@uncaged/workflow-util";
import {
  CHANGE_FAULTS,
  type CommandContext,
  defineRootCommand,
  FOLDER,
  HASH,
  ROOT_FAULTS,
  ROUTING_FAULTS,
  THREAD,
  WORKFLOW,
} from "../../line/index.js";
import { counted, lines, nextCommand, type Screen } from "../../screen/index.js";
import { readShortIds, workflowName } from "../known-names.js";
import { document } from "../output.js";
import { planOnto, writeRewrite } from "../rewrite.js";
import { eventLog, findTrusted } from "./change.js";
import { killThread } from "./kill.js";
import { readNamedNode } from "./nodes.js";
import { addWholeThread, withdrawUnlessWhole } from "./start.js";

/** Where a fork's agents work, and the thread that it has this from; `null`: from the caller. */
type ForkFolder = { readonly cwd: string; readonly thread: ThreadId | null };

/** The active threads with a node in their history: the node does not name its thread. */
async function findOwners(storage: Storage, chain: Chain): Promise<Result<readonly ThreadId[], Fault>> {
  const threads = await listThreads(storage, { all: false });
  if (!threads.ok) return threads;
  return ok(
    threads.value.flatMap((state) =>
      state.kind === "active" && hasNode(storage, state.head, chain) ? [state.thread] : [],
    ),
  );
}

/** The folder of the threads that a node was forked from. If they have different ones, the caller's is used. */
function forkFolder(
  storage: Storage,
  owners: readonly ThreadId[],
  { given, cwd }: { readonly given: string | null; readonly cwd: string },
): ForkFolder {
  if (given !== null) return { cwd: given, thread: null };
  const folders = owners.flatMap((thread): readonly ForkFolder[] => {
    const folder = readWorkFolder(storage, thread);
    return folder.ok && folder.value !== null ? [{ cwd: folder.value, thread }] : [];
  });
  const [oldest] = folders;
  const isOne = oldest !== undefined && folders.every((each) => each.cwd === oldest.cwd);
  return isOne ? oldest : { cwd, thread: null };
}

/** A fork is one more thread, and it takes back no file. `threads`: those that go on from there, the new one last. */
function tellOfFork({ tell }: CommandContext, threads: readonly ThreadId[], cwd: string): void {
  if (threads.length > 1) {
    const count = threads.length === 2 ? "two" : String(threads.length);
    const ends = `\`uwf thread kill ${threads[0]}\` ends one`;
    tell(`${count} threads go on from here now, ${threads.join(" and ")}: ${ends}`);
  }
  tell(`the files in ${cwd} stay as later steps left them`);
}

/** A step names its start, so most threads are ruled out by their head alone. */
function hasNode({ cas }: Storage, head: CasRef, { head: node, start }: Chain): boolean {
  if (head === node) return true;
  const at = readChainNode(cas, head);
  if (!at.ok || at.value.kind !== "step" || at.value.payload.start !== start.hash) return false;
  if (node === start.hash) return true;
  const history = readChain(cas, head);
  return history.ok && history.value.steps.some(({ hash }) => hash === node);
}

/** A new thread on an existing node, or on its history under another workflow. What it was taken from stays. */
export const command = defineRootCommand({
  path: "thread fork",
  summary: "create a thread that continues from a StartNode or StepNode",
  arguments: { hash: argument(HASH) },
  options: {
    workflow: option(WORKFLOW, "continue under this workflow (file, name or hash); every step must fit it"),
    dryRun: flag("print what would happen, write nothing"),
    insteadOf: option(
      THREAD,
      "archive that thread; the new one has its key, its limits and what it has spent",
    ),
    cwd: option(FOLDER, "folder where its agents work (default: that of the original thread, if known)"),
  },
  examples: [
    "uwf thread fork 7YQ5C0QZ2T1VA",
    "uwf thread fork 7YQ5C0QZ2T1VA --workflow ./corrected.yaml --dry-run",
    "uwf thread fork 7YQ5C0QZ2T1VA --workflow solve-issue --cwd ../other-checkout",
    "uwf thread fork 7YQ5C0QZ2T1VA --instead-of 01KAJ5E8",
  ],
  exits: [...ROOT_FAULTS, ...ROUTING_FAULTS, ...CHANGE_FAULTS, "STEPS_DO_NOT_FIT"],
  sample: {
    line: "thread fork 968RK709D8JWK",
    prints: `thread 01KAJ5F2A0QX8C3W5ZJY7D9V1M goes on from 968RK709D8JWK
its agents work in /home/kim
next: uwf thread run 9V1M`,
  },
  run: async (context, request, storage) => {
    const given = givenFolder(context.host.cwd, request.cwd);
    if (!given.ok) return given;
    const found = readNamedNode(storage, request.hash);
    if (!found.ok) return found;
    const node = found.value;
    // The complete chain is read before a head points to it: a fork of a damaged history could not be stepped.
    const chain = readChain(storage.cas, node.hash);
    if (!chain.ok) return chain;
    const old = await findReplaced(context, storage, request.insteadOf);
    if (!old.ok) return old;
    const owners = await findOwners(storage, chain.value);
    if (!owners.ok) return owners;
    const folder = forkFolder(storage, owners.value, { given: given.value, cwd: context.host.cwd });
    const { cwd } = folder;
    const planned =
      request.workflow === null
        ? ok(asItIs(storage, chain.value, folder.thread ?? old.value))
        : await planUnder(context, storage, chain.value, request.workflow);
    if (!planned.ok) return planned;
    const { write, words, ...plan } = planned.value;
    const place = { ...plan, from: node.hash, workFolder: cwd, old: old.value };
    const written = request.dryRun ? ok(null) : await write();
    if (!written.ok) return written;
    const added = request.dryRun ? ok(null) : await addFork(context, storage, place);
    if (!added.ok) return added;
    const thread = added.value;
    const left = owners.value.filter((owner) => owner !== old.value);
    if (thread !== null) tellOfFork(context, [...left, thread], cwd);
    const forkedFrom = { step: node.hash, thread: folder.thread };
    const insteadOf = old.value === null ? {} : { insteadOf: old.value };
    const output: ForkOutput | WorkflowForkOutput = { thread, ...words, forkedFrom, cwd, ...insteadOf };
    return document(output, (screen) => forkWords(screen, storage, output));
  },
});

async function forkWords(
  screen: Screen,
  storage: Storage,
  output: ForkOutput | WorkflowForkOutput,
): Promise<string> {
  const { thread, forkedFrom, cwd, insteadOf } = output;
  const isDry = thread === null;
  const onto = "workflow" in output ? ` under workflow ${workflowName(storage, output.workflow)}` : "";
  const fits =
    "steps" in output ? `with ${counted(output.steps.length, "step")}; next comes ${output.next}` : null;
  const old = isDry ? "would be archived" : "is archived";
  const screenText = lines(screen, [
    `${isDry ? "a thread would go on" : `thread ${thread} goes on`} from ${forkedFrom.step}${onto}`,
    fits,
    `its agents work in ${cwd}`,
    insteadOf === undefined ? null : `thread ${insteadOf} ${old}; its key, limits and spending pass over`,
  ]);
  return isDry
    ? screenText
    : screenText + nextCommand(screen, `uwf thread run ${(await readShortIds(storage))(thread)}`);
}

async function findReplaced(
  context: CommandContext,
  storage: Storage,
  text: string | null,
): Promise<Result<ThreadId | null, Fault>> {
  if (text === null) return ok(null);
  const found = await findTrusted(context, storage, text, "end");
  return found.ok ? ok(found.value.thread) : found;
}

/** What a new thread begins with. */
type Plan = {
  readonly head: CasRef;
  readonly workflow: CasRef;
  /** The step, if its history is written again under another workflow: then children that have ended there count. */
  readonly rewrittenFrom: CasRef | null;
  /** The file of its workflow; `null`: none is known. */
  readonly source: string | null;
  /** Under another workflow: what becomes of the steps. */
  readonly words: Pick<WorkflowForkOutput, "workflow" | "steps" | "next"> | null;
  /** What the thread needs in the store. */
  readonly write: () => Promise<Result<unknown, Fault>>;
};

/** `from`: the thread that it has the file of its workflow from. */
function asItIs(storage: Storage, { head, workflow }: Chain, from: ThreadId | null): Plan {
  const read = from === null ? ok(null) : readThreadRecord(storage, from, "source");
  const source = read.ok ? (read.value?.file ?? null) : null;
  const nothing = { words: null, write: async () => ok(null) };
  return { head, workflow: workflow.hash, rewrittenFrom: null, source, ...nothing };
}

/**
 * Nothing is written before everything is known to fit and a next role exists; then references are written before
 * referrers, and the head last. A crash in between leaves nodes that nothing refers to.
 */
async function planUnder(
  { host, warn }: CommandContext,
  storage: Storage,
  chain: Chain,
  named: string,
): Promise<Result<Plan, Fault>> {
  const resolved = await resolveWorkflow({ storage, cwd: host.cwd, warn }, named);
  if (!resolved.ok) return resolved;
  const workflow = assembledOf(resolved.value);
  const planned = await planOnto(storage.cas, chain, workflow, named);
  if (!planned.ok) return planned;
  const { rewrite, next } = planned.value;
  const file = resolved.value.kind === "file" ? resolved.value.checked.file : null;
  const steps = rewrite.steps.map(({ from, hash, payload }) => ({ from, to: hash, role: payload.role }));
  return ok({
    head: rewrite.head,
    workflow: workflow.hash,
    rewrittenFrom: chain.head,
    source: file,
    words: { workflow: workflow.hash, steps, next },
    write: async () => {
      const stored = file === null ? ok(workflow.hash) : await storeWorkflow(storage, workflow);
      return stored.ok ? writeRewrite(storage, rewrite) : stored;
    },
  });
}

type ForkPoint = Omit<Plan, "words" | "write"> & {
  readonly from: CasRef;
  readonly workFolder: string;
  /** The thread that it replaces; `null`: it replaces none. */
  readonly old: ThreadId | null;
};

async function addFork(
  context: CommandContext,
  storage: Storage,
  place: ForkPoint,
): Promise<Result<ThreadId, Fault>> {
  const added = await addHead(context, storage, place);
  if (!added.ok) return added;
  const { thread, existing } = added.value;
  const { old, source } = place;
  const sourced =
    source === null ? ok(undefined) : writeThreadRecord(storage, thread, "source", { file: source });
  if (!sourced.ok) return sourced;
  if (!existing)
    eventLog(context, storage, thread)("2NZ7PB4G", `the thread was forked from ${place.from}`, "forked", {
      ...{ workflow: place.workflow, head: place.head, cwd: place.workFolder },
      ...(old === null ? {} : { insteadOf: old }),
    });
  if (old === null) return ok(thread);
  // With the head of the new one the old one is decided to end; what is left of its archive is a kill's.
  const archived = await killThread(context, storage, old);
  return archived.ok || archived.error.code === "THREAD_ENDED" ? ok(thread) : archived;
}

/** The head of the new thread; it exists where an earlier command that was cut short has added it. */
async function addHead(
  { host }: CommandContext,
  storage: Storage,
  place: ForkPoint,
): Promise<Result<{ readonly thread: ThreadId; readonly existing: boolean }, Fault>> {
  const { head, rewrittenFrom: from, old } = place;
  if (old !== null) {
    const added = await addSuccessor(storage, old, place);
    if (!added.ok) return added;
    const whole = await withdrawUnlessWhole(storage, added.value.thread, place);
    return whole.ok ? added : whole;
  }
  const thread = await newThreadId(host.now());
  const adopted = from === null ? ok(undefined) : await adoptChildren(storage, { thread, head, from, old });
  if (!adopted.ok) return adopted;
  const added = await addWholeThread(storage, thread, place);
  return added.ok ? ok({ thread, existing: false }) : added;
}
