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
  checkTrust,
  findThreadToEnd,
  listThreads,
  readChain,
  readChainNode,
  readWorkFolder,
  readWorkflowSource,
  type Storage,
  writeWorkflowSource,
} from "@uncaged/workflow-store";
import { createEventLog, newThreadId } from "@uncaged/workflow-util";
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

/** A fork is one more thread, and it takes back no file. */
function tellOfFork(
  { tell }: CommandContext,
  {
    thread,
    owners,
    cwd,
  }: { readonly thread: ThreadId; readonly owners: readonly ThreadId[]; readonly cwd: string },
): void {
  const [other] = owners;
  if (other !== undefined) {
    const all = [...owners, thread].join(" and ");
    const count = owners.length === 1 ? "two" : String(owners.length + 1);
    tell(`${count} threads go on from here now, ${all}: \`uwf thread kill ${other}\` ends one`);
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
    const forkedFrom = { step: node.hash, thread: folder.thread };
    const tell = (thread: ThreadId | null): void => {
      const left = owners.value.filter((owner) => owner !== old.value);
      if (thread !== null) tellOfFork(context, { thread, owners: left, cwd });
    };
    const facts = { forkedFrom, cwd, ...(old.value === null ? {} : { insteadOf: old.value }) };
    if (request.workflow !== null) {
      const forked = await forkOnto(
        context,
        { storage, chain: chain.value, named: request.workflow, workFolder: cwd, old: old.value },
        request.dryRun,
      );
      if (!forked.ok) return forked;
      tell(forked.value.thread);
      const output: WorkflowForkOutput = { ...forked.value, ...facts };
      return document(output, (screen) => forkWords(screen, storage, output));
    }
    const { workflow } = chain.value;
    const from = folder.thread ?? old.value;
    const own = { head: node.hash, from: node.hash, rewrittenFrom: null };
    const source = from === null ? null : readWorkflowSource(storage, from);
    const place = { ...own, workflow: workflow.hash, workFolder: cwd, old: old.value, source };
    const thread = request.dryRun ? ok(null) : await addFork(context, storage, place);
    if (!thread.ok) return thread;
    tell(thread.value);
    const output: ForkOutput = { thread: thread.value, ...facts };
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
  { host }: CommandContext,
  storage: Storage,
  text: string | null,
): Promise<Result<ThreadId | null, Fault>> {
  if (text === null) return ok(null);
  const trusted = checkTrust(storage, host.env);
  if (!trusted.ok) return trusted;
  const found = await findThreadToEnd(storage, text, host.cwd);
  return found.ok ? ok(found.value.thread) : found;
}

type Source = {
  readonly storage: Storage;
  readonly chain: Chain;
  readonly named: string;
  readonly workFolder: string;
  readonly old: ThreadId | null;
};

type Forked = Omit<WorkflowForkOutput, "forkedFrom" | "cwd" | "insteadOf">;

/**
 * Nothing is written before everything is known to fit and a next role exists; then references are written before
 * referrers, and the head last. A crash in between leaves nodes that nothing refers to.
 */
async function forkOnto(
  context: CommandContext,
  source: Source,
  dryRun: boolean,
): Promise<Result<Forked, Fault>> {
  const { storage, chain, named } = source;
  const { host, warn } = context;
  const resolved = await resolveWorkflow({ storage, cwd: host.cwd, warn }, named);
  if (!resolved.ok) return resolved;
  const workflow = assembledOf(resolved.value);
  const planned = await planOnto({ cas: storage.cas, chain, named }, workflow);
  if (!planned.ok) return planned;
  const { rewrite, next } = planned.value;
  const steps = rewrite.steps.map(({ from, hash, payload }) => ({ from, to: hash, role: payload.role }));
  const facts = { workflow: workflow.hash, steps, next };
  if (dryRun) return ok({ thread: null, ...facts });
  const stored = resolved.value.kind === "file" ? await storeWorkflow(storage, workflow) : ok(workflow.hash);
  if (!stored.ok) return stored;
  const written = await writeRewrite(storage, rewrite);
  if (!written.ok) return written;
  const { workFolder, old } = source;
  const rewritten = { head: rewrite.head, from: chain.head, rewrittenFrom: chain.head };
  const file = resolved.value.kind === "file" ? resolved.value.checked.file : null;
  const place = { ...rewritten, workflow: workflow.hash, workFolder, old, source: file };
  const thread = await addFork(context, storage, place);
  return thread.ok ? ok({ thread: thread.value, ...facts }) : thread;
}

type ForkPoint = {
  readonly head: CasRef;
  readonly workflow: CasRef;
  readonly from: CasRef;
  /** `from`, if its history was written again under another workflow: then children that have ended there count. */
  readonly rewrittenFrom: CasRef | null;
  readonly workFolder: string;
  /** The thread that it replaces; `null`: it replaces none. */
  readonly old: ThreadId | null;
  /** The file of its workflow; `null`: none is known. */
  readonly source: string | null;
};

async function addFork(
  context: CommandContext,
  storage: Storage,
  place: ForkPoint,
): Promise<Result<ThreadId, Fault>> {
  const { old } = place;
  return old === null ? addOne(context, storage, place) : addInstead(context, storage, place, old);
}

async function addOne(
  context: CommandContext,
  storage: Storage,
  place: ForkPoint,
): Promise<Result<ThreadId, Fault>> {
  const thread = await newThreadId(context.host.now());
  const { head, rewrittenFrom: from, old } = place;
  const adopted = from === null ? ok(undefined) : await adoptChildren(storage, { thread, head, from, old });
  if (!adopted.ok) return adopted;
  const added = await addWholeThread(storage, thread, place);
  if (!added.ok) return added;
  logFork(context, storage, place, thread);
  return kept(storage, place, thread);
}

/** With the file of its workflow. */
function kept(storage: Storage, { source }: ForkPoint, thread: ThreadId): Result<ThreadId, Fault> {
  const keptSource = source === null ? ok(undefined) : writeWorkflowSource(storage, thread, source);
  return keptSource.ok ? ok(thread) : keptSource;
}

/** With the head of the new one the old one is decided to end; what is left of its archive is a kill's. */
async function addInstead(
  context: CommandContext,
  storage: Storage,
  place: ForkPoint,
  old: ThreadId,
): Promise<Result<ThreadId, Fault>> {
  const added = await addSuccessor(storage, old, place);
  if (!added.ok) return added;
  const { thread, existing } = added.value;
  const whole = await withdrawUnlessWhole(storage, thread, place);
  if (!whole.ok) return whole;
  const sourced = kept(storage, place, thread);
  if (!sourced.ok) return sourced;
  if (!existing) logFork(context, storage, place, thread);
  const archived = await killThread(context, old);
  return archived.ok || archived.error.code === "THREAD_ENDED" ? ok(thread) : archived;
}

function logFork(
  { host }: CommandContext,
  storage: Storage,
  { head, workflow, from, workFolder: folder, old }: ForkPoint,
  thread: ThreadId,
): void {
  const log = createEventLog({ dir: storage.paths.logs, now: host.now, thread });
  log("2NZ7PB4G", `the thread was forked from ${from}`, "forked", {
    workflow,
    head,
    cwd: folder,
    ...(old === null ? {} : { insteadOf: old }),
  });
}
