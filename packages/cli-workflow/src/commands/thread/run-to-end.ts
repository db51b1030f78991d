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
} from "@uncaged/workflow-protocol";
import {
  findThread,
  readAllSpent,
  type Storage,
  spentInHistory,
  workflowOfHead,
} from "@uncaged/workflow-store";
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
  const { shown, thread } = request;
  const begun = context.host.now();
  const progress = openProgress(context, deps, { name: "run", thread, shown });
  await progress.open(thread);
  const costSince = context.screen === null ? null : await costMeter(deps, thread);
  const last =
    ended === null
      ? await stepUntil(deps, request, progress)
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
  const costUsd = costSince === null ? null : await costSince();
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

async function stepUntil(
  deps: StepDeps,
  request: StepRequest & Bounds,
  progress: Progress,
): Promise<Result<LastState, Fault>> {
  const maxSteps = request.maxSteps ?? MOST_STEPS;
  const bounds = await openBounds(deps, request);
  if (!bounds.ok) return bounds;
  const warned = new Set<string>();
  const state = (output: StepOutput, steps: number, why: StoppedWhy, held: Fault | null = null) =>
    ok({ output, steps, why, held });
  for (let steps = 0; ; steps += 1) {
    const reached = await bounds.value.reached();
    if (!reached.ok) return reached;
    if (reached.value !== null) {
      const there = await readState(deps, request.thread);
      return there.ok ? state(there.value, steps, reached.value) : there;
    }
    const waitMs = Math.min(request.waitMs, bounds.value.leftMs());
    const output = await step(warningOnce(progress.begin(), warned), { ...request, waitMs });
    const recorded = progress.end(output, false);
    if (!output.ok) {
      if (!isWaitFault(output.error)) return output;
      const there = await readState(deps, request.thread);
      return there.ok ? state(there.value, steps, "steps", output.error) : there;
    }
    if (output.value.done) return state(output.value, recorded === null ? steps : steps + 1, "steps");
    // It has stopped where it was to stop: nothing was recorded.
    if (recorded === null) return state(output.value, steps, "until");
    if (steps + 1 >= maxSteps) return state(output.value, steps + 1, "steps");
  }
}

/** What is the same at every step is printed once. */
function warningOnce(deps: StepDeps, warned: Set<string>): StepDeps {
  const warn = (sentence: string): void => {
    if (!warned.has(sentence)) deps.warn(sentence);
    warned.add(sentence);
  };
  return { ...deps, warn };
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
type OpenBounds = {
  /** Asked before each step. */
  readonly reached: () => Promise<Result<"cost" | "time" | null, Fault>>;
  /** Until no further step may start. */
  readonly leftMs: () => number;
};

async function openBounds(
  { storage, host, warn }: StepDeps,
  { thread, maxCostUsd, timeoutMs }: StepRequest & Bounds,
): Promise<Result<OpenBounds, Fault>> {
  const end = timeoutMs === null ? Number.POSITIVE_INFINITY : host.now() + timeoutMs;
  const first = maxCostUsd === null ? ok(null) : await spentSoFar(storage, thread);
  if (!first.ok) return first;
  const before = first.value;
  let hasWarned = false;
  const reached = async (): Promise<Result<"cost" | "time" | null, Fault>> => {
    if (host.now() >= end) return ok("time");
    if (maxCostUsd === null || before === null) return ok(null);
    const now = await spentSoFar(storage, thread);
    if (!now.ok) return now;
    if (now.value.unknownCost > before.unknownCost && !hasWarned) {
      hasWarned = true;
      warn(`the cost of a run is not known: --max-cost ${maxCostUsd} does not see it`);
    }
    return ok(now.value.costUsd - before.costUsd >= maxCostUsd ? "cost" : null);
  };
  return ok({ reached, leftMs: () => Math.max(0, end - host.now()) });
}

/** With the threads below it, and failed runs: `thread limit` counts in the same way. */
async function spentSoFar(storage: Storage, text: string): Promise<Result<Spent, Fault>> {
  const thread = parseThreadId(text);
  return thread.ok ? readAllSpent(storage, thread.value) : thread;
}

/** What a thread costs from now on, with the threads below it and failed runs; `null`: none of it is known. */
async function costMeter({ storage }: StepDeps, text: string): Promise<() => Promise<number | null>> {
  const thread = parseThreadId(text);
  // From the history: what a limit keeps goes when the thread ends.
  const spent = async (): Promise<number | null> => {
    const all = thread.ok ? await spentInHistory(storage, thread.value) : thread;
    return all.ok ? all.value.costUsd : null;
  };
  const before = await spent();
  return async () => {
    const now = await spent();
    return before === null || now === null || now <= before ? null : now - before;
  };
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
