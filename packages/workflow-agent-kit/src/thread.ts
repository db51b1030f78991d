import { basename } from "node:path";
import type { JsonValue, Store } from "@uncaged/json-cas";
import {
  type CasRef,
  ENV,
  err,
  type Fault,
  fault,
  type ModeratorContext,
  messageOf,
  type NoteLine,
  ok,
  type Result,
  type RunFailure,
  type ThreadId,
} from "@uncaged/workflow-protocol";
import {
  attempt,
  checkTrust,
  findThread,
  keyNames,
  knownPast,
  loadConfig,
  loadDotEnv,
  notesOfRun,
  type OpenHistory,
  openHistory,
  openStorage,
  type RunDir,
  readChainNode,
  readFailedRuns,
  readNode,
  readNotes,
  readOutput,
  readProjectEnv,
  readReply,
  readRunRecord,
  readThreadRecord,
  redactorOf,
  resolveStorageRoot,
  runDirOf,
  type StepNode,
  type Storage,
} from "@uncaged/workflow-store";
import {
  findFrontmatter,
  once,
  parseThreadId,
  type Redactor,
  repeatsOutput,
  timeOfThreadId,
} from "@uncaged/workflow-util";
import { FaultError, orThrow } from "./fault.js";
import type { Env, Host } from "./host.js";
import type { PromptStep } from "./prompt/index.js";

type Opened = {
  readonly storage: Storage;
  /** What the author's code and its children see. */
  readonly env: Env;
  /** With the complete `.env`, for the kit's own calls of a model. */
  readonly ownEnv: Env;
  /** Takes keys out of everything that is stored or shown. */
  readonly redactor: Redactor;
};

/** What an agent has to do with keys. */
type KeyUse = {
  /** What of `.env` reaches it; `listed`: nothing where uwf does not limit the agent to some variables. */
  readonly dotEnv: "all" | "listed";
  /** The variables that its program reads for keys. */
  readonly keyVariables: readonly string[];
};

/**
 * The storage root and the environment with its `.env`; variables that are already set win, `.env` elsewhere is not
 * read. Where uwf limits the agent to some variables, the others of `.env` do not reach the author's code either.
 */
export async function openRoot(host: Host, agent: KeyUse): Promise<Result<Opened, Fault>> {
  const root = resolveStorageRoot(host);
  if (!root.ok) return root;
  const storage = openStorage(root.value, { now: host.now });
  const trusted = checkTrust(storage, host.env);
  if (!trusted.ok) return trusted;
  const dotEnv = await loadDotEnv(storage);
  if (!dotEnv.ok) return dotEnv;
  const keys = await namesOfKeys(storage, host.env);
  if (!keys.ok) return keys;
  const { variables } = dotEnv.value;
  const { env: given } = host;
  const names = [...new Set([...keys.value, ...agent.keyVariables])];
  const project = readProjectEnv(host.cwd);
  if (!project.ok) return project;
  const redactor = redactorOf({ variables, project: project.value, env: given, names });
  host.conceal(redactor.text);
  const added = Object.entries(variables).filter(([name]) => host.env[name] === undefined);
  const passed = added.filter(isPassed(host.env, agent.dotEnv));
  const env = withAdded(host.env, passed);
  const ownEnv = withAdded(host.env, added);
  for (const [name, value] of passed) host.setEnv(name, value);
  return ok({ storage, env, ownEnv, redactor });
}

/** `fromEntries` takes its time when it is first used: most storage roots have no `.env`. */
function withAdded(env: Env, added: readonly (readonly [string, string])[]): Env {
  return added.length === 0 ? { ...env } : { ...Object.fromEntries(added), ...env };
}

/** uwf provides them; an agent that is run by hand reads config.yaml itself. */
async function namesOfKeys(storage: Storage, env: Env): Promise<Result<readonly string[], Fault>> {
  const names = env[ENV.keyNames];
  if (names !== undefined) return ok([...listOf(names), ...keyNames(null, env)]);
  const loaded = await loadConfig(storage);
  return loaded.ok ? ok(keyNames(loaded.value.config, env)) : loaded;
}

function isPassed(env: Env, part: KeyUse["dotEnv"]): (entry: readonly [string, string]) => boolean {
  const limit = env[ENV.agentEnv];
  const names = limit === undefined ? null : new Set(listOf(limit));
  return ([name]) => (names === null ? part === "all" : names.has(name));
}

function listOf(text: string): readonly string[] {
  return text.split(",").filter((name) => name !== "");
}

/**
 * A reply without its header, which the structured output repeats; the complete reply if the header is not
 * evident.
 */
export function replyBody(reply: string, output: JsonValue): string {
  const found = findFrontmatter(reply);
  const block = found.ok ? found.value[0] : undefined;
  if (block?.leading !== true || typeof output !== "object" || output === null) return reply;
  const lines = block.yaml.split("\n");
  const states = (key: string): boolean =>
    lines.some((line) => line.startsWith(`${key}:`) || line.startsWith(`${JSON.stringify(key)}:`));
  return Object.keys(output).some(states) ? block.body : reply;
}

/** The thread as this step finds it; nothing of its history is read yet but the newest step. */
export type OpenThread = Opened & {
  readonly thread: ThreadId;
  readonly head: CasRef;
  readonly workflow: OpenHistory["workflow"];
  readonly start: OpenHistory["start"];
  /** `null`: this will be the first step. */
  readonly last: StepNode | null;
  /** The run that uwf started this process for; `null` when uwf did not start it. */
  readonly run: RunDir | null;
};

/** By which an agent recognises its own steps. */
export type Self = {
  /** The name that it gives itself. */
  readonly name: string;
  /** The program of the command that was chosen, without its folder. */
  readonly program: string;
};

/** Opens the store and reads the thread's head, its start and its workflow: the same few nodes at any length of history. */
export async function openThread(
  host: Host,
  text: string,
  agent: KeyUse = { dotEnv: "all", keyVariables: [] },
): Promise<Result<OpenThread, Fault>> {
  const { env: ours } = host;
  const root = await openRoot(host, agent);
  if (!root.ok) return root;
  const { storage } = root.value;
  const given = { head: ours[ENV.head] ?? null, token: ours[ENV.run] ?? null };
  const held = headOfRun(storage, text, given);
  const at = held === null ? await readHeadNode(storage, text, given.head) : ok(held);
  if (!at.ok) return at;
  const { thread, head } = at.value;
  const tip = readTip(storage.cas, head);
  if (!tip.ok) return tip;
  const run = given.token ? runDirOf(storage, thread, given.token) : null;
  return ok({ ...root.value, thread, head, run, ...tip.value });
}

type At = { readonly thread: ThreadId; readonly head: CasRef };

/** What uwf says to the agents that it starts. */
type Given = { readonly head: string | null; readonly token: string | null };

/**
 * uwf holds the thread while its agent runs, so the head it passes is still current if the record of this run
 * names the same head and no process is ending the thread: the kit need not read the list of threads, however
 * long. `null`: the caller has to look the head up.
 */
function headOfRun(storage: Storage, text: string, { head, token }: Given): At | null {
  const thread = parseThreadId(text);
  if (!thread.ok || token === null || head === null) return null;
  const run = runDirOf(storage, thread.value, token);
  const record = run === null ? null : readRunRecord(run);
  const ending = readThreadRecord(storage, thread.value, "ending");
  if (!record?.ok || !ending.ok || ending.value !== null || record.value?.head !== head) return null;
  return { thread: thread.value, head: record.value.head };
}

/** The thread's head, which must still be the one that uwf saw. */
async function readHeadNode(
  storage: Storage,
  text: string,
  expected: string | null,
): Promise<Result<At, Fault>> {
  const state = await findThread(storage, text);
  if (!state.ok) return state;
  const { thread, head, kind } = state.value;
  if (kind === "ended") return err(fault("THREAD_ENDED", { thread, reason: state.value.reason }));
  if (expected !== null && expected !== "" && expected !== head) {
    return err(fault("HEAD_MOVED", { thread, expected, found: head }));
  }
  return ok({ thread, head });
}

type TipNodes = Pick<OpenThread, "workflow" | "start" | "last">;

function readTip(store: Store, head: CasRef): Result<TipNodes, Fault> {
  const node = readChainNode(store, head);
  if (!node.ok) return err(damage(head, head, node.error));
  const last = node.value.kind === "step" ? node.value : null;
  const startHash = last === null ? head : last.payload.start;
  const start = readNode(store, "startNode", startHash);
  if (!start.ok) return err(damage(head, startHash, start.error));
  const workflowHash = start.value.payload.workflow;
  const workflow = readNode(store, "workflow", workflowHash);
  if (!workflow.ok) return err(damage(head, workflowHash, workflow.error));
  return ok({ workflow: workflow.value, start: start.value, last });
}

/** A node that the history needs and that is not usable is damage, whatever its reader called it. */
export function damage(head: CasRef, node: CasRef, cause: Fault): Fault {
  return cause.code === "IO_FAILED"
    ? cause
    : fault("CHAIN_DAMAGED", { head, node, reason: messageOf(cause) });
}

/** A run that gave no step, and the session that it reported. */
export type FailedSession = RunFailure & { readonly sessionId: string; readonly cwd: string | null };

/**
 * The runs of this step by this agent that gave no result but reported their session, oldest first, from uwf's
 * log. A log that cannot be read contains none.
 */
export function attemptsOf(
  { storage, thread, head, last }: OpenThread,
  { name, program }: Self,
  role: string,
): readonly FailedSession[] {
  const failed = readFailedRuns(storage, { thread, since: last?.timestamp ?? timeOfThreadId(thread) });
  if (!failed.ok) return [];
  // The log has the program as it was started.
  const isOwn = (agent: string | null): boolean =>
    agent !== null && [name, program].includes(basename(agent));
  return failed.value.flatMap(({ failure, head: at, sessionId, cwd }) => {
    const isMeant = at === head && failure.role === role && isOwn(failure.agent);
    return isMeant && sessionId !== null ? [{ ...failure, sessionId, cwd }] : [];
  });
}

/**
 * The complete history, oldest first, from the cache as far as uwf's conditions have filled it. Outputs of other
 * steps are read on access, once. Throws `FaultError` if the history is damaged, the getters too.
 */
export function allSteps(open: OpenThread): ModeratorContext["steps"] {
  const { storage, thread, head } = open;
  const { known, since } = orThrow(knownPast(storage, thread, orThrow(openHistory(storage.cas, head))));
  return [...known.map(({ step }) => step), ...since.map((step) => lazyStep(open, step))];
}

function lazyStep(open: OpenThread, { payload }: StepNode): ModeratorContext["steps"][number] {
  const { role, detail, agent, output } = payload;
  const read = once(() => outputOf(open, output));
  return Object.freeze({
    role,
    get output() {
      return read();
    },
    detail,
    agent,
  });
}

function outputOf(open: OpenThread, hash: CasRef): JsonValue {
  return needed(open, hash, readOutput(open.storage.cas, hash));
}

/** Where a walk back through a history begins. */
export type Tip = Pick<OpenThread, "head" | "last"> & { readonly storage: { readonly cas: Store } };

/** The history newest first, each step read on access. Throws `FaultError` if it is damaged. */
export function* nodesBackwards(tip: Tip): Generator<StepNode> {
  for (let step = tip.last; step !== null; step = previous(tip, step)) yield step;
}

/** Steps as a prompt shows them, each read on access. Throws `FaultError` if one is damaged. */
export function* promptSteps(open: OpenThread, steps: Iterable<StepNode>): Generator<PromptStep> {
  const { cas } = open.storage;
  for (const step of steps) {
    const { role, output, detail } = step.payload;
    const reply = needed(open, detail, readReply(cas, detail));
    const node = needed(
      open,
      output,
      attempt(() => cas.get(output)),
    );
    if (node === null)
      throw new FaultError(fault("CHAIN_DAMAGED", { head: open.head, node: output, reason: GONE }));
    const hasWords = reply !== null && !repeatsOutput(reply, node.payload);
    const text = hasWords ? replyBody(reply, node.payload) : null;
    yield { hash: step.hash, role, output: node.payload, reply: text };
  }
}

const GONE = "the output of a step does not exist";

function previous(tip: Tip, { payload: { prev } }: StepNode): StepNode | null {
  return prev === null ? null : needed(tip, prev, readNode(tip.storage.cas, "stepNode", prev));
}

function needed<T>({ head }: Pick<OpenThread, "head">, hash: CasRef, read: Result<T, Fault>): T {
  if (read.ok) return read.value;
  throw new FaultError(damage(head, hash, read.error));
}

/**
 * What people have said to this run, or to the next one if this is none. Throws `FaultError` if that cannot be read: they
 * mean it to be heard.
 */
export function notesFor({ run, storage, thread }: OpenThread): readonly NoteLine[] {
  return orThrow(run === null ? readNotes(storage, thread) : notesOfRun(run));
}
