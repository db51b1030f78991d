import type { ThreadView, ThreadViews } from "@uncaged/workflow-engine";
import {
  END,
  err,
  FAIL,
  type Fault,
  messageOf,
  ok,
  type Result,
  START,
  type ThreadId,
} from "@uncaged/workflow-protocol";
import type { ChildFacts, FailureFacts, GraphPoint, StepFacts, ThreadFacts } from "@uncaged/workflow-report";
import {
  type Chain,
  type Family,
  findThread,
  playsByThreads,
  readChain,
  readContext,
  readFailedRuns,
  readFamily,
  type Storage,
} from "@uncaged/workflow-store";
import { timeOfThreadId } from "@uncaged/workflow-util";
import type { Host, Messages } from "../io.js";
import { explainDecisions } from "./decisions.js";
import type { Documents } from "./documents.js";
import { stepFacts } from "./steps.js";

export type Reading = {
  readonly context: Reader;
  readonly storage: Storage;
  readonly family: Family;
  readonly views: ThreadViews;
  /** Whether every condition is evaluated, whatever that costs. */
  readonly explained: boolean;
  /** Whether prompts, replies and tool calls are read. */
  readonly texts: boolean;
  /** `null`: files and documents are not looked at. */
  readonly documents: Documents | null;
  /** The threads above: a family that a person has edited may lead in circles. */
  readonly above: readonly ThreadId[];
};

type Reader = Pick<Messages, "warn"> & { readonly host: Host };

/** What is read once, for however many threads. */
export function openReading(
  context: Reader,
  storage: Storage,
  asked: Pick<Reading, "explained" | "texts" | "documents" | "views">,
): Result<Reading, Fault> {
  const family = readFamily(storage);
  return family.ok ? ok({ context, storage, family: family.value, ...asked, above: [] }) : family;
}

/** Everything that a report says of a thread and of those that it has started. */
export async function threadFacts(reading: Reading, view: ThreadView): Promise<Result<ThreadFacts, Fault>> {
  const { thread, ended } = view;
  const at = findGraphPoint(view);
  if (!at.ok) return at;
  const steps = await readSteps(reading, view);
  if (!steps.ok) return steps;
  const children = await readChildren(reading, thread);
  if (!children.ok) return children;
  const { workflow, start } = steps.value.chain;
  return ok({
    thread,
    startedAt: timeOfThreadId(thread),
    workflow: { hash: workflow.hash, source: workflow.payload },
    start: { hash: start.hash, task: start.payload.prompt, at: start.timestamp },
    ended: ended === null ? null : { reason: ended.reason, at: ended.completedAt },
    state: view.state,
    at: at.value,
    held: view.held,
    decision: steps.value.decision,
    steps: steps.value.steps,
    failures: failuresOf(reading, thread),
    children: children.value,
  });
}

type Steps = Pick<ThreadFacts, "steps" | "decision"> & { readonly chain: Chain };

async function readSteps(
  { storage, explained, texts, documents }: Reading,
  { head, ended }: ThreadView,
): Promise<Result<Steps, Fault>> {
  const chain = readChain(storage.cas, head);
  if (!chain.ok) return chain;
  const context = readContext(storage.cas, chain.value);
  if (!context.ok) return context;
  const end = ended?.reason === "end" ? END : ended?.reason === "failed" ? FAIL : null;
  const workflow = chain.value.workflow.payload;
  const [first = [], ...decisions] = await explainDecisions({
    workflow,
    context: context.value,
    end,
    explained,
  });
  const outputs = context.value.steps.map(({ output }) => output);
  const steps: StepFacts[] = [];
  for (const [at, step] of chain.value.steps.entries()) {
    const output = context.value.steps[at]?.output ?? null;
    const facts = stepFacts(storage, step, { output, decision: decisions[at] ?? [], texts });
    if (!facts.ok) return facts;
    const files = documents?.filesOf(output) ?? [];
    const difference = (await documents?.differenceAt(outputs, at)) ?? null;
    steps.push({ ...facts.value, files, difference });
  }
  return ok({ chain: chain.value, decision: first, steps });
}

/** The log is not part of the history: if it cannot be read, the report says so. */
function failuresOf({ context, storage }: Reading, thread: ThreadId): readonly FailureFacts[] | null {
  const created = timeOfThreadId(thread);
  // The clock went back: everything since then has an earlier time.
  const since = created > context.host.now() ? 0 : created;
  const failed = readFailedRuns(storage, { thread, since });
  if (failed.ok)
    return failed.value.map(({ failure, head, usage, extractUsage, durationMs }) => {
      const free = playsByThreads(failure.agent ?? "");
      return { ...failure, head, usage, extractUsage, durationMs, free };
    });
  context.warn(`the failed runs are not known: ${messageOf(failed.error)}`);
  return null;
}

async function readChildren(
  reading: Reading,
  thread: ThreadId,
): Promise<Result<readonly ChildFacts[], Fault>> {
  const { storage, views, family, above } = reading;
  const children: ChildFacts[] = [];
  for (const { child, role, item, head } of family.childrenOf(thread)) {
    if (child === thread || above.includes(child)) continue;
    const state = await findThread(storage, child);
    // Its start was cut short.
    if (!state.ok && state.error.code === "THREAD_NOT_FOUND") continue;
    const view = state.ok ? await views.found(state.value) : state;
    if (!view.ok) return view;
    const facts = await threadFacts({ ...reading, above: [...above, thread] }, view.value);
    if (!facts.ok) return facts;
    children.push({ role, item, head, thread: facts.value });
  }
  return ok(children);
}

/** Where a thread stands in the graph of its workflow; `null` once it has ended by itself, or if it was not decided. */
export function findGraphPoint(view: ThreadView): Result<GraphPoint | null, Fault> {
  const { ended, history, state, next, stuck, damage, isUndecided } = view;
  if (damage !== null) return err(damage);
  const last = history?.newest?.payload.role ?? START;
  if (ended !== null) return ok(ended.reason === "killed" ? { node: last, state: "killed" } : null);
  if (stuck !== null) return ok({ node: last, state: "stuck" });
  if (isUndecided) return ok(null);
  return ok({ node: next ?? last, state: state === "held" ? "waiting" : "next" });
}
