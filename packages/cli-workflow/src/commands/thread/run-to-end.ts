import { ENDED_AS, type StepDeps, type StepRequest, step, threadFailure } from "@uncaged/workflow-engine";
import {
  err,
  type Fault,
  fault,
  isWaitFault,
  ok,
  type Result,
  type Spent,
  type StepOutput,
  type StoppedWhy,
  type ThreadId,
} from "@uncaged/workflow-protocol";
import { findThread, type Storage, spentInHistory, workflowOfHead } from "@uncaged/workflow-store";
import { parseThreadId } from "@uncaged/workflow-util";
import type { CommandContext, CommandResult } from "../../line/index.js";
import { openProgress, type Progress, type Shown, type WatchedDeps } from "../../progress/index.js";
import { counted, duration, money, paintOf, paintOn, type Screen } from "../../screen/index.js";
import { documentWith, text } from "../output.js";

/** What one command may do; `null`: as much as there is, or `MOST_STEPS`. */
type Bounds = {
  readonly maxSteps: number | null;
  readonly maxCostUsd: number | null;
  readonly timeoutMs: number | null;
};

/** A loop that a condition never leaves costs money all night: a user who gave no bound did not mean it. */
export const MOST_STEPS = 200;

/**
 * Steps until the thread, which is named by its complete id, has ended, the role of `until` comes next, or a bound is reached;
 * prints the last state. Exit code 9 if the thread has not ended, unless it was to stop there. `ended`: its state, if it has ended before.
 */
export async function runToEnd(
  context: CommandContext,
  deps: WatchedDeps,
  request: StepRequest & Bounds & { readonly shown: Shown },
  ended: StepOutput | null = null,
): CommandResult {
  const { shown } = request;
  const thread = parseThreadId(request.thread);
  if (!thread.ok) return thread;
  const begun = context.host.now();
  const progress = openProgress(context, deps, { name: "run", thread: thread.value, shown });
  await progress.open(thread.value);
  const isMeasured = context.screen !== null || request.maxCostUsd !== null;
  const cost = isMeasured ? await openMeter(deps.storage, thread.value) : ok(null);
  const last =
    ended === null
      ? await stepUntil(deps, request, { progress, cost })
      : ok({ output: ended, steps: 0, why: "steps" as const, held: null });
  if (!last.ok) {
    await progress.close({ fault: last.error });
    return last;
  }
  const { output, steps, why, held } = last.value;
  const failure = held ?? unfinished(output, steps, { why, request }) ?? threadFailure(output);
  await progress.close(held === null ? { output, why } : { fault: held });
  if (shown === "events") return failure === null ? text("") : err(failure);
  const elapsedMs = context.host.now() - begun;
  const spent = cost.ok && cost.value !== null ? await cost.value() : null;
  const costUsd = spent?.ok && spent.value.costUsd > 0 ? spent.value.costUsd : null;
  return documentWith(output, failure, (screen) =>
    runWords(screen, { ...last.value, costUsd, until: request.until, elapsedMs }),
  );
}

const LIMIT = { steps: "--max-steps", cost: "--max-cost", time: "--timeout" } as const;

type Stopped = { readonly why: StoppedWhy; readonly request: Pick<StepRequest, "agents"> & Bounds };

function unfinished(output: StepOutput, steps: number, { why, request }: Stopped): Fault | null {
  if (output.done || why === "until") return null;
  const withAgent = request.agents.length > 0;
  const isDefault = why === "steps" && request.maxSteps === null;
  return fault("RUN_UNFINISHED", { thread: output.thread, steps, limit: LIMIT[why], isDefault, withAgent });
}

type LastState = {
  readonly output: StepOutput;
  /** Those that were taken. */
  readonly steps: number;
  /** Why no further one was taken, if the thread has not ended. */
  readonly why: StoppedWhy;
  /** The thread waits. */
  readonly held: Fault | null;
};

type Watched = { readonly progress: Progress; readonly cost: Result<Meter | null, Fault> };

async function stepUntil(
  deps: StepDeps,
  request: StepRequest & Bounds,
  { progress, cost }: Watched,
): Promise<Result<LastState, Fault>> {
  const maxSteps = request.maxSteps ?? MOST_STEPS;
  const bounds = openBounds(deps, request, cost);
  const warned = new Set<string>();
  const state = (output: StepOutput, steps: number, why: StoppedWhy) =>
    ok({ output, steps, why, held: null });
  for (let steps = 0; ; steps += 1) {
    const reached = await bounds.reached();
    if (!reached.ok) return reached;
    if (reached.value !== null) {
      const there = await readState(deps, request.thread);
      return there.ok ? state(there.value, steps, reached.value) : there;
    }
    const waitMs = Math.min(request.waitMs, bounds.leftMs());
    const stepDeps = progress.begin();
    // What is the same at every step is printed once.
    const warn = (sentence: string): void => {
      if (!warned.has(sentence)) stepDeps.warn(sentence);
      warned.add(sentence);
    };
    const output = await step({ ...stepDeps, warn }, { ...request, waitMs });
    const recorded = progress.end(output, false);
    if (!output.ok) {
      if (!isWaitFault(output.error)) return output;
      const there = await readState(deps, request.thread);
      return there.ok ? ok({ output: there.value, steps, why: "steps", held: output.error }) : there;
    }
    if (output.value.done) return state(output.value, recorded === null ? steps : steps + 1, "steps");
    // It has stopped where it was to stop: nothing was recorded.
    if (recorded === null) return state(output.value, steps, "until");
    if (steps + 1 >= maxSteps) return state(output.value, steps + 1, "steps");
  }
}

async function readState({ storage, host }: StepDeps, text: string): Promise<Result<StepOutput, Fault>> {
  const state = await findThread(storage, text, host.cwd);
  if (!state.ok) return state;
  const { thread, head, kind } = state.value;
  const workflow = workflowOfHead(storage.cas, head);
  if (!workflow.ok) return workflow;
  const place = { workflow: workflow.value, thread, head };
  return ok(
    kind === "ended" ? { ...place, done: true, reason: state.value.reason } : { ...place, done: false },
  );
}

/** The bounds of this command alone: the thread's own limits are the step's to ask. */
function openBounds(
  { host, warn }: StepDeps,
  { maxCostUsd, timeoutMs }: Bounds,
  cost: Result<Meter | null, Fault>,
) {
  const end = timeoutMs === null ? Number.POSITIVE_INFINITY : host.now() + timeoutMs;
  let hasWarned = false;
  /** Asked before each step. */
  const reached = async (): Promise<Result<"cost" | "time" | null, Fault>> => {
    if (host.now() >= end) return ok("time");
    if (maxCostUsd === null) return ok(null);
    if (!cost.ok) return cost;
    const spent = (await cost.value?.()) ?? ok({ costUsd: 0, unknownCost: 0 });
    if (!spent.ok) return spent;
    if (spent.value.unknownCost > 0 && !hasWarned) {
      hasWarned = true;
      warn(`the cost of a run is not known: --max-cost ${maxCostUsd} does not see it`);
    }
    return ok(spent.value.costUsd >= maxCostUsd ? "cost" : null);
  };
  /** Until no further step may start. */
  const leftMs = (): number => Math.max(0, end - host.now());
  return { reached, leftMs };
}

/** What a thread has cost since, with the threads below it and failed runs. */
type Meter = () => Promise<Result<Pick<Spent, "costUsd" | "unknownCost">, Fault>>;

/** From the history: what a limit keeps goes when the thread ends. */
async function openMeter(storage: Storage, thread: ThreadId): Promise<Result<Meter, Fault>> {
  const before = await spentInHistory(storage, thread);
  if (!before.ok) return before;
  return ok(async () => {
    const now = await spentInHistory(storage, thread);
    if (!now.ok) return now;
    const costUsd = now.value.costUsd - before.value.costUsd;
    return ok({ costUsd, unknownCost: now.value.unknownCost - before.value.unknownCost });
  });
}

type Run = LastState & {
  readonly until: string | null;
  readonly elapsedMs: number;
  /** With the threads below it and failed runs; `null`: not known. */
  readonly costUsd: number | null;
};

/** What a run came to: `ended: 4 steps, 42 s, $0.12`. Why it stopped early is an error's to say. */
function runWords(screen: Screen, { output, steps, costUsd, why, held, until, elapsedMs }: Run): string {
  const paint = paintOn(screen);
  const spent = [counted(steps, "step"), duration(elapsedMs), ...(costUsd === null ? [] : [money(costUsd)])];
  const state = output.done ? ENDED_AS[output.reason] : null;
  const how =
    state !== null
      ? `${paintOf(state, paint)(state)}: `
      : held === null && why === "until"
        ? `next is ${paint.strong(until ?? "")}: `
        : "";
  return state === null && steps === 0 && how === "" && costUsd === null
    ? ""
    : `${how}${paint.dim(spent.join(", "))}\n`;
}
