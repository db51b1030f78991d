import { argument, option } from "@uncaged/command-line";
import { isHash } from "@uncaged/json-cas";
import { givenFolder, type ResolvedWorkflow } from "@uncaged/workflow-engine";
import {
  type CasRef,
  err,
  type Fault,
  fault,
  LIMITS,
  ok,
  type Result,
  ROLE_NAME,
  type SpendingLimits,
  type StartOutput,
  type ThreadId,
} from "@uncaged/workflow-protocol";
import {
  addKeyedThread,
  addThread,
  type ChildOf,
  findThread,
  loadConfig,
  loadProjectConfig,
  readChain,
  readStartNode,
  type Storage,
  withdrawThread,
  workflowOfHead,
  writeThreadRecord,
} from "@uncaged/workflow-store";
import { newThreadId, parseThreadId } from "@uncaged/workflow-util";
import {
  COUNT,
  type CommandContext,
  defineCommand,
  MINUTES,
  START_OPTIONS,
  THREAD,
  USD,
  WORKFLOW,
} from "../../line/index.js";
import { lines, nextCommand, type Screen } from "../../screen/index.js";
import { readShortIds, workflowName } from "../known-names.js";
import { document, invalid, misused } from "../output.js";
import { storeStart } from "../store-start.js";
import { eventLog } from "./change.js";

type StartRequest = {
  readonly workflow: string;
  /** Where its agents work; `null`: here. */
  readonly cwd: string | null;
  readonly prompt: string | null;
  readonly promptFile: string | null;
  /** Of the same key there is one thread only; `null`: a new thread every time. */
  readonly key: string | null;
  /** The thread that starts it; then the key is `<head>/<role>` or `<head>/<role>/<item>` of it. */
  readonly parent: string | null;
  /** Of the thread; where all are `null`, it has none of its own. */
  readonly limits: SpendingLimits;
};

/** Faults of a new thread, or of the thread that has its key already. */
export const START_FAULTS = [
  "OLDER_ROOT",
  "INVALID_CONFIG",
  "TOO_DEEP",
  "THREAD_ENDED",
  "HEAD_MOVED",
  "LOCK_BUSY",
] as const;

export const command = defineCommand({
  path: "thread start",
  summary: "create a thread without running anything",
  arguments: { workflow: argument(WORKFLOW) },
  options: {
    ...START_OPTIONS,
    parent: option(THREAD, "for agents: the thread that starts it; --key is then <head>/<role>[/<item>]"),
    maxSteps: option(COUNT, "steps that it may take, with all threads below it"),
    maxCost: option(USD, "what its agents may cost, as far as they report it"),
    maxMinutes: option(MINUTES, "how long its agents may work; waiting does not count"),
  },
  examples: [
    'uwf thread start solve-issue -p "Fix the login redirect"',
    "git log -1 --format=%B | uwf thread start solve-issue -p -",
    "uwf thread start ./solve-issue.yaml --prompt-file task.md",
    'uwf thread start solve-issue -p "Fix #41" --key issue-41',
  ],
  exits: START_FAULTS,
  sample: {
    line: 'thread start solve-issue -p "Fix the login redirect"',
    prints: `started thread 01KAJ5E8ZJ4N7XK3M9T2V6W8YB of solve-issue
next: uwf thread run W8YB`,
  },
  run: async (context, { maxSteps, maxCost, maxMinutes, ...given }) => {
    const request = { ...given, limits: { maxSteps, maxCostUsd: maxCost, maxMinutes } };
    const started = await startThread(context, request, "thread start");
    if (!started.ok) return started;
    const { storage, output } = started.value;
    return document(output, (screen) => startWords(screen, storage, output));
  },
});

/** Asked before anything is written: a thread that it refuses is not started. */
type MayStart = (
  storage: Storage,
  workflow: ResolvedWorkflow,
  folder: string,
) => Promise<Result<void, Fault>>;

/**
 * The storage root, and the thread that was started there, or is there by its key. `command` is what was typed: the
 * failures name its page of help.
 */
export async function startThread(
  context: CommandContext,
  request: StartRequest,
  command: string,
  mayStart: MayStart = async () => ok(undefined),
): Promise<Result<{ readonly storage: Storage; readonly output: StartOutput }, Fault>> {
  const given = givenFolder(context.host.cwd, request.cwd);
  if (!given.ok) return given;
  const folder = given.value ?? context.host.cwd;
  const of = childOf(request);
  if (!of.ok) return of;
  const parent = of.value?.parent ?? null;
  const isAllowed = (storage: Storage, workflow: ResolvedWorkflow) => mayStart(storage, workflow, folder);
  const stored = await storeStart(context, request, command, isAllowed, parent);
  if (!stored.ok) return stored;
  const { storage, workflow, head, file } = stored.value;
  const limits = Object.values(request.limits).every((limit) => limit === null) ? null : request.limits;
  const place = { start: head, workFolder: folder, limits };
  const added = await addStarted(context, storage, place, { key: request.key, of: of.value });
  if (!added.ok) return added;
  const { thread, existing } = added.value;
  if (existing) return ok({ storage, output: await readExisting(storage, thread, workflow) });
  const kept = file === null ? ok(undefined) : writeThreadRecord(storage, thread, "source", { file: file });
  if (!kept.ok) return kept;
  const log = eventLog(context, storage, thread);
  const fields = { workflow, head, cwd: folder, ...(parent === null ? {} : { parent }) };
  log("V3HQ8WD5", "the thread was started", "started", fields);
  const started = { workflow, thread };
  return ok({ storage, output: request.key === null ? started : { ...started, existing } });
}

async function startWords(
  screen: Screen,
  storage: Storage,
  { workflow, thread, existing = false }: StartOutput,
): Promise<string> {
  const idOf = await readShortIds(storage);
  const what = existing ? "there is" : "started";
  return (
    lines(screen, [`${what} thread ${thread} of ${workflowName(storage, workflow)}`]) +
    nextCommand(screen, `uwf thread ${existing ? "show" : "run"} ${idOf(thread)}`)
  );
}

type ThreadDraft = {
  readonly start: CasRef;
  readonly workFolder: string;
  readonly limits: SpendingLimits | null;
};

async function addStarted(
  context: CommandContext,
  storage: Storage,
  { start, workFolder, limits }: ThreadDraft,
  { key, of }: { readonly key: string | null; readonly of: ChildOf | null },
): Promise<Result<{ readonly thread: ThreadId; readonly existing: boolean }, Fault>> {
  if (key === null) {
    const thread = await newThreadId(context.host.now());
    // Before the head, as its folder.
    const limited = limits === null ? ok(undefined) : writeThreadRecord(storage, thread, "limits", limits);
    if (!limited.ok) return limited;
    const added = await addWholeThread(storage, thread, { head: start, from: start, workFolder });
    return added.ok ? ok({ thread, existing: false }) : added;
  }
  const config = await loadConfig(storage);
  if (!config.ok) return config;
  const project = await loadProjectConfig(workFolder);
  if (!project.ok) return project;
  const maxDepth = config.value.config?.maxDepth ?? project.value?.maxDepth ?? LIMITS.threadDepth;
  const added = await addKeyedThread(storage, { key, of, start, folder: workFolder, limits, maxDepth });
  if (!added.ok) return added;
  const { thread, existing } = added.value;
  if (!existing) {
    const kept = await withdrawUnlessWhole(storage, thread, { head: start, from: start });
    return kept.ok ? added : kept;
  }
  // A child stands for its place in the parent, whatever its task or workflow was when it was started.
  if (of !== null) return added;
  const found = await findThread(storage, thread);
  if (!found.ok) return found;
  const there = readStartNode(storage.cas, found.value.head);
  if (!there.ok) return there;
  return there.value.hash === start ? added : err(fault("KEY_TAKEN", { key, thread }));
}

/** A child that was started earlier may have another workflow than its parent would give it now. */
async function readExisting(storage: Storage, thread: ThreadId, workflow: CasRef): Promise<StartOutput> {
  const found = await findThread(storage, thread);
  const its = found.ok ? workflowOfHead(storage.cas, found.value.head) : found;
  return { workflow: its.ok ? its.value : workflow, thread, existing: true };
}

const KEY_OF_CHILD = /^([0-9A-HJKMNP-TV-Z]{13})\/([^/]+)(?:\/(\d{1,4}))?$/;

function childOf({ parent, key }: StartRequest): Result<ChildOf | null, Fault> {
  if (key !== null && (key === "" || Buffer.byteLength(key) > LONGEST_KEY || key.includes("\0"))) {
    const reason = key === "" ? "it is empty" : `it has a NUL, or more than ${LONGEST_KEY} bytes`;
    const hint = `a key is any text of at most ${LONGEST_KEY} bytes, as in --key issue-42`;
    return invalid("--key", reason, hint);
  }
  if (parent === null) return ok(null);
  const thread = parseThreadId(parent);
  if (!thread.ok) return thread;
  const [, head, role, item] = KEY_OF_CHILD.exec(key ?? "") ?? [];
  if (head === undefined || role === undefined || !isHash(head) || !ROLE_NAME.test(role)) {
    const usage = "with --parent, --key is <head>/<role> or <head>/<role>/<item> of that thread";
    return misused("the child has no place in its parent", usage);
  }
  return ok({ parent: thread.value, head, role, item: item === undefined ? null : Number(item) });
}

/** Bytes. */
const LONGEST_KEY = 1024;

/** A new thread's head, and the node whose history it goes on with. */
type Past = { readonly head: CasRef; readonly from: CasRef };

/**
 * Points a new thread to an existing head. Until then gc may remove whatever nothing reaches, including this
 * head's past; from then on the head keeps it. So the chain is checked afterwards, and the thread withdrawn if gc
 * was faster. What a head refers to is removed after the head itself, so a chain that can be read is complete. A
 * rewritten head shares outputs and details with the original one.
 */
export async function addWholeThread(
  storage: Storage,
  thread: ThreadId,
  place: Past & { readonly workFolder: string },
): Promise<Result<void, Fault>> {
  const added = await addThread(storage, thread, place.head, place.workFolder);
  return added.ok ? withdrawUnlessWhole(storage, thread, place) : added;
}

/** Withdraws a thread that was just added if gc has taken something of its past meanwhile. */
export async function withdrawUnlessWhole(
  storage: Storage,
  thread: ThreadId,
  { head, from }: Past,
): Promise<Result<void, Fault>> {
  const chains = [...new Set([head, from])].map((each) => readChain(storage.cas, each));
  const lost = chains.find((chain) => !chain.ok);
  if (lost === undefined || lost.ok) return ok(undefined);
  const withdrawn = await withdrawThread(storage, thread, head);
  if (!withdrawn.ok || lost.error.code !== "CHAIN_DAMAGED") return withdrawn.ok ? lost : withdrawn;
  const reason = `${lost.error.reason}, perhaps because of a gc at the same time; no thread was created`;
  return err(fault("CHAIN_DAMAGED", { head, node: lost.error.node, reason }));
}
