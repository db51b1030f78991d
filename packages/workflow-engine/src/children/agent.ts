import { getSchema, isHash, isObject, type JsonValue } from "@uncaged/json-cas";
import { type AgentContext, type AgentReply, declaresInItems } from "@uncaged/workflow-agent-kit";
import {
  type CHILD_FACTS,
  err,
  fault,
  isWorkflowName,
  LIMITS,
  type MAP_FACTS,
  messageOf,
  ok,
  type Result,
  type ThreadId,
  toWhy,
} from "@uncaged/workflow-protocol";
import {
  attempt,
  attemptAsync,
  hasWorkspace,
  isOnRemote,
  openHistory,
  openStorage,
  putNode,
  type Storage,
} from "@uncaged/workflow-store";
import { childPrompt, type Item } from "../child-prompt.js";
import {
  declares,
  ENDED,
  type EndedChild,
  factsFor,
  givenBy,
  lastStepText,
  type Port,
  type Progress,
  runChild,
  type Why,
} from "./child.js";
import type { Uwf } from "./uwf.js";
import { type Each, parseWords, USAGE, type Words } from "./words.js";

/** One step of the parent: its child, or its children, taken to their end. */
export async function playWorkflow(context: AgentContext, uwf: Uwf, now: () => number): Promise<AgentReply> {
  const parsed = parseWords(context.args);
  if (!parsed.ok) return { kind: "failed", fault: { code: "USAGE", reason: parsed.reason, usage: USAGE } };
  const storage = openStorage(context.storageRoot, { now });
  const isRemote = isOnRemote(storage, context.threadId);
  const port = { uwf, storage, signal: context.signal, isRemote };
  const beat = setInterval(context.heartbeat, 1000);
  try {
    const { words } = parsed;
    return words.each === null
      ? await one(context, port, words)
      : await many(context, port, words, words.each);
  } finally {
    clearInterval(beat);
  }
}

/** What uwf says of children: every field of the table. */
type Facts<Table> = { readonly [Name in keyof Table]: JsonValue };

async function one(context: AgentContext, port: Port, words: Words): Promise<AgentReply> {
  const progress = await runChild(port, childOf(context, words, null));
  const rest = unfinished(context, [progress]);
  if (rest !== null) return rest;
  const ended = progress as EndedChild;
  const { outcome, thread } = ended;
  const { metaSchema } = context;
  if (outcome !== "end" && !declares(metaSchema, "ok")) return failed(context, notEnded(port.storage, ended));
  const given = await givenBy(port.storage, ended, outcome === "end" ? words.output : null);
  if (!given.ok) return failed(context, lasting(given.error));
  const { fields, steps } = given.value;
  const facts: Facts<typeof CHILD_FACTS> = {
    ok: outcome === "end",
    reason: outcome,
    thread,
    steps: steps.length,
  };
  const known = factsFor(metaSchema, fields, facts);
  // A model would make an output of failed work, and of an expression that is wrong.
  const isPlain = outcome === "end" && words.output === null;
  const text = isPlain ? lastStepText(ended, steps) : null;
  const misfit = { text, hint: misfitHint(context, words), known };
  return { kind: "output", value: { ...fields, ...known }, detail: ended.head, misfit };
}

/** Most items of a role: a longer list is more likely a mistake than meant. */
const MOST_ITEMS = 100;

async function many(context: AgentContext, port: Port, words: Words, each: Each): Promise<AgentReply> {
  const items = itemsOf(context, words, each);
  if (!items.ok) return failed(context, lasting(items.error));
  const jobs = items.value.map(
    (value, index) => () =>
      runChild(port, childOf(context, words, { index, count: items.value.length, value })),
  );
  const progress = port.isRemote
    ? await startAll(jobs, hasWorkspace(port.storage, context.threadId) ? jobs.length : words.jobs)
    : await pool(jobs, words.jobs);
  const rest = unfinished(context, progress);
  if (rest !== null) return rest;
  const children = progress as readonly EndedChild[];
  const results = await readResults(port.storage, children, words);
  if (!results.ok) return failed(context, results.error);
  const lost = children.filter(({ outcome }) => outcome !== "end").length;
  const facts: Facts<typeof MAP_FACTS> = {
    ok: lost === 0,
    failed: lost,
    count: children.length,
    threads: children.map(({ thread }) => thread),
  };
  const joined = children.map(({ head, outcome }) => ({ head, outcome }));
  const detail = await attemptAsync(() => putNode(context.store, "join", { children: joined }));
  if (!detail.ok) return { kind: "failed", fault: detail.error };
  const value = { results: results.value, ...factsFor(context.metaSchema, {}, facts) };
  const misfit = { text: null, hint: misfitHint(context, words) };
  return { kind: "output", value, detail: detail.value, misfit };
}

/** The results of the children, in the order of the items. */
async function readResults(
  storage: Storage,
  children: readonly EndedChild[],
  { output, partial }: Words,
): Promise<Result<readonly JsonValue[], Why>> {
  const results: JsonValue[] = [];
  for (const child of children) {
    if (child.outcome !== "end" && !partial) return err(notEnded(storage, child));
    const given = child.outcome === "end" ? await givenBy(storage, child, output) : null;
    if (given?.ok === false) return err(lasting(given.error));
    results.push(given === null ? null : given.value.fields);
  }
  return ok(results);
}

function itemsOf(
  { steps, store, workflow: { roles } }: AgentContext,
  { workflow }: Words,
  { role, path }: Each,
): Result<readonly JsonValue[], string> {
  const newest = steps.findLast((step) => step.role === role);
  if (newest === undefined) return err(`--each: ${role} has had no step in this thread`);
  let value: JsonValue = newest.output;
  for (const name of path)
    value = isObject(value) && Object.hasOwn(value, name) ? (value[name] ?? null) : null;
  const place = [role, ...path].join(".");
  if (!Array.isArray(value)) return err(`--each: ${place} is not a list`);
  const items = value as readonly JsonValue[];
  if (items.length > MOST_ITEMS)
    return err(`--each: ${place} has ${items.length} items, more than ${MOST_ITEMS}`);
  if (workflow !== null) return ok(items);
  const type = roles[role]?.meta;
  const meta = attempt(() => (type === undefined ? null : getSchema(store, type)));
  if (!meta.ok) return err(messageOf(meta.error));
  if (!declaresInItems(meta.value ?? {}, path, "workflow"))
    return err(`--each: the meta of ${role} declares no field workflow for the items of ${place}`);
  const nameless = items.findIndex((item) => ownWorkflow(item) === null);
  return nameless === -1 ? ok(items) : err(`--each: item ${nameless + 1} of ${place} names no workflow`);
}

/** A name, and nothing that a path or a hash would be read for: an item is a word of an agent. */
function ownWorkflow(item: JsonValue): string | null {
  const name = isObject(item) && typeof item.workflow === "string" ? item.workflow : "";
  return isWorkflowName(name) && !isHash(name.toUpperCase()) ? name : null;
}

function childOf(context: AgentContext, words: Words, item: Item | null) {
  const { threadId, head, role } = context;
  // An item cannot change the workflow that the graph fixes.
  const named = words.workflow ?? (item === null ? null : ownWorkflow(item.value));
  return {
    parent: threadId,
    key: item === null ? `${head}/${role}` : `${head}/${role}/${item.index}`,
    workflow: named ?? "",
    prompt: childPrompt(context, words.prompt, item).slice(0, LIMITS.prompt / 4),
  };
}

/** The reply while some have not ended; `null`: all have. A failure comes first: the next step mends it while others wait. */
function unfinished(context: AgentContext, progress: readonly Progress[]): AgentReply | null {
  const broken = progress.find((each) => each.kind === "failed");
  if (broken !== undefined) {
    const { thread, why } = broken;
    const which = thread === null ? "a child thread could not be started" : `child thread ${thread}`;
    return failed(context, {
      ...why,
      message: `${which}: ${why.message}`,
      hint: forChild(context, thread, why.hint),
    });
  }
  const threads = progress.flatMap((each) =>
    each.kind === "held" ? [{ thread: each.thread, head: each.head, held: true }] : [],
  );
  return threads.length === 0 ? null : { kind: "waiting", for: "threads", threads };
}

/** A user's options for the parent do not reach its child; the parent's workflow says what starts the child. */
function forChild(
  { head, workflow }: AgentContext,
  thread: ThreadId | null,
  hint: string | null,
): string | null {
  if (hint === null) return null;
  if (thread === null)
    return `${hint}. This thread keeps its version of ${workflow.name}: if that names the wrong one, correct and put it, then \`uwf thread fork ${head} --workflow ${workflow.name}\``;
  if (!hint.includes("--agent")) return hint;
  return `${hint}. --agent does not reach child threads: give it to \`uwf thread step ${thread}\`, or name the agent in config.yaml`;
}

function notEnded({ cas }: Storage, { thread, head, outcome }: EndedChild): Why {
  const chain = openHistory(cas, head);
  const from = chain.ok ? chain.value.start.hash : "<hash>";
  return {
    ...lasting(`child thread ${thread} ${ENDED[outcome]}, and the role's meta has no field for that`),
    hint: `see what happened: \`uwf thread read ${thread}\`. To run it again from its start: \`uwf thread fork ${from} --instead-of ${thread}\`; from a later step, take its hash from \`uwf thread steps ${thread}\`. If the parent should go on anyway, declare \`ok\` in the role's meta, or \`partial: true\` for a map, in its workflow`,
  };
}

/** The child is done: the mistake is in the parent's workflow. */
function misfitHint(context: AgentContext, { output, each }: Words): string {
  const { threadId, head, workflow, role, metaSchema } = context;
  const example = `output: "{ '${firstField(metaSchema)}': steps[-1].output.<field> }"`;
  const write =
    output === null ? `write ${example} into the agent of ${role}` : `correct \`output:\` of ${role}`;
  const model = output === null && each === null ? ", or configure a model for extract and step again" : "";
  return `${write}, put the workflow, then \`uwf thread fork ${head} --workflow ${workflow.name} --instead-of ${threadId}\`, which does not run a finished child again${model}`;
}

/** A field that meta requires, for an example. */
function firstField(meta: JsonValue): string {
  const required =
    isObject(meta) && Array.isArray(meta.required) ? (meta.required as readonly JsonValue[]) : [];
  const first = required.find((name) => typeof name === "string" && name !== "results");
  return typeof first === "string" ? first : "note";
}

/** A failure that another run repeats. */
function lasting(message: string): Why {
  return { message, hint: null, retryable: false, reason: null, retryAfter: null };
}

function failed({ role }: AgentContext, why: Why): AgentReply {
  const run = { command: "uwf-workflow", role, outcome: "", stderr: "" };
  return { kind: "failed", fault: fault("AGENT_FAILED", { ...run, ...toWhy(why) }) };
}

/**
 * At a remote: starts them in order, until this many work. Children of a thread that names no folder get one each, so all of
 * them may.
 */
async function startAll(
  jobs: readonly (() => Promise<Progress>)[],
  atOnce: number,
): Promise<readonly Progress[]> {
  const results: Progress[] = [];
  let working = 0;
  for (const job of jobs) {
    const progress: Progress = working < atOnce ? await job() : { kind: "later" };
    if (progress.kind === "held") working += 1;
    results.push(progress);
  }
  return results;
}

/** Runs them in order, this many at a time; the results are in the same order. */
async function pool<T>(jobs: readonly (() => Promise<T>)[], atOnce: number): Promise<readonly T[]> {
  const results: T[] = new Array(jobs.length);
  const waiting = jobs.entries();
  const work = async (): Promise<void> => {
    for (const [index, job] of waiting) results[index] = await job();
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, jobs.length) }, work));
  return results;
}
