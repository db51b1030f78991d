import {
  type Fault,
  type LimitName,
  type LimitRecord,
  NO_LIMITS,
  ok,
  type ReachedLimit,
  type Result,
  reachedText,
  type SpendingLimits,
  type Spent,
  type SpentLine,
  type ThreadId,
} from "@uncaged/workflow-protocol";
import {
  addSpent,
  costOf,
  limitsStamp,
  loadThreadProject,
  playsByThreads,
  readHead,
  readNode,
  readParents,
  readReport,
  readSession,
  readSpent,
  readStartNode,
  readThreadRecord,
  type Storage,
  startSpending,
  type WorkflowConfig,
} from "@uncaged/workflow-store";
import type { EndedRun, RunPlan, RunState, VerifiedAnswer, VerifiedRun } from "./types.js";

/** A thread that has a limit and pays for the run: the one that is stepped, or one above it. */
export type Payer = { readonly thread: ThreadId; readonly limits: SpendingLimits };

/** The limits in the user's config.yaml, and those of the project of the thread's folder. */
type SaidLimits = {
  readonly config: Pick<WorkflowConfig, "limits"> | null;
  readonly project: Pick<WorkflowConfig, "limits"> | null;
};

/** Without limits, which is the usual case, this costs two lookups of files that do not exist. */
export async function readPayers(
  storage: Storage,
  thread: ThreadId,
  { config, project }: SaidLimits,
): Promise<Result<readonly Payer[], Fault>> {
  const above = readParents(storage, thread);
  if (!above.ok) return above;
  const payers: Payer[] = [];
  for (const each of [thread, ...above.value]) {
    const its = each === thread ? ok(project) : await loadThreadProject(storage, each);
    if (!its.ok) return its;
    const limits = await limitsOf(storage, each, { config, project: its.value });
    if (!limits.ok) return limits;
    if (!Object.values(limits.value).some((limit) => limit !== null)) continue;
    const begun = await startSpending(storage, each);
    if (!begun.ok) return begun;
    payers.push({ thread: each, limits: limits.value });
  }
  return ok(payers);
}

/**
 * What holds for a thread: what a person has set for it, then for its workflow, then for every one. A project fills
 * only what is left: it raises no limit of the user's.
 */
export async function limitsOf(
  storage: Storage,
  thread: ThreadId,
  { config, project }: SaidLimits,
): Promise<Result<SpendingLimits, Fault>> {
  const own = readThreadRecord(storage, thread, "limits");
  const sources = [config?.limits ?? {}, project?.limits ?? {}];
  if (!own.ok) return own;
  if (sources.every((limits) => Object.keys(limits).length === 0)) return ok(own.value ?? NO_LIMITS);
  const head = await readHead(storage, thread);
  if (!head.ok) return head;
  // It has ended.
  if (head.value === null) return ok(NO_LIMITS);
  const start = readStartNode(storage.cas, head.value);
  const workflow = start.ok ? readNode(storage.cas, "workflow", start.value.payload.workflow) : start;
  if (!workflow.ok) return workflow;
  const { name } = workflow.value.payload;
  const saying = sources.flatMap((limits) => [
    Object.hasOwn(limits, name) ? limits[name] : undefined,
    limits.default,
  ]);
  const limitIn = (limit: LimitName): number | null =>
    own.value?.[limit] ?? saying.find((each) => (each?.[limit] ?? null) !== null)?.[limit] ?? null;
  return ok({
    maxSteps: limitIn("maxSteps"),
    maxCostUsd: limitIn("maxCostUsd"),
    maxMinutes: limitIn("maxMinutes"),
  });
}

/** Checked before a run, never during one. `null`: it may start. */
export function reachedLimit({
  storage,
  payers,
  warn,
}: Pick<RunState, "storage" | "payers" | "warn">): Result<LimitRecord | null, Fault> {
  for (const { thread, limits } of payers) {
    const spent = readSpent(storage, thread);
    if (!spent.ok) return spent;
    if (spent.value === null) continue;
    const reached = reachedOf(limits, spent.value);
    if (reached !== null) {
      const limit = { of: thread, ...reached, stamp: limitsStamp(storage, thread) };
      return ok({ for: "limit", question: reachedText(limit), threads: [], until: null, limit });
    }
    const { unknownCost } = spent.value;
    if (limits.maxCostUsd !== null && unknownCost > 0) {
      const runs = unknownCost === 1 ? "1 run" : `${unknownCost} runs`;
      warn(`the cost of ${runs} is not known: the limit of ${limits.maxCostUsd} USD does not see it`);
    }
  }
  return ok(null);
}

/** The first limit that is spent; `null`: none is. */
export function reachedOf(limits: SpendingLimits, spent: Spent): Omit<ReachedLimit, "of"> | null {
  const all = [
    { limit: "maxSteps", max: limits.maxSteps, spent: spent.steps },
    { limit: "maxCostUsd", max: limits.maxCostUsd, spent: spent.costUsd },
    { limit: "maxMinutes", max: limits.maxMinutes, spent: spent.minutes },
  ] as const;
  for (const { limit, max, spent } of all) if (max !== null && spent >= max) return { limit, max, spent };
  return null;
}

/** Counts a step, before the head moves to it: what is adopted after a crash has the same token, and counts once. */
export async function spendStep(
  state: RunState,
  plan: RunPlan,
  verified: VerifiedRun | VerifiedAnswer,
): Promise<Result<void, Fault>> {
  const { run, step } = verified;
  if (state.payers.length === 0) return ok(undefined);
  const free = { steps: 1, ms: 0, costUsd: 0, unknownCost: 0 };
  if (run === null) return spend(state, { run: step.hash, ...free });
  if (playsByThreads(plan.agent.program)) return spend(state, { run: run.token, ...free });
  const session = readSession(state.storage.cas, step.payload.detail);
  if (!session.ok) return session;
  const { usage = null, extract = null, durationMs = null } = session.value ?? {};
  const ms = verified.outcome?.durationMs ?? durationMs ?? 0;
  const cost = costOf(extract === null ? [usage] : [usage, extract.usage]);
  return spend(state, { run: run.token, steps: 1, ms, ...cost });
}

/** Counts a run that gave no step, before it is removed. */
export async function spendRun(
  state: RunState,
  plan: RunPlan,
  { run, outcome }: EndedRun,
  kind: "failed" | "waiting",
): Promise<Result<void, Fault>> {
  if (state.payers.length === 0 || playsByThreads(plan.agent.program)) return ok(undefined);
  const { usage = null, extractUsage = null } = readReport(run) ?? {};
  const usages = extractUsage === null ? [usage] : [usage, extractUsage];
  // A run that only checks whether it can go on has usually cost nothing.
  const counted = kind === "failed" ? usages : usages.filter((each) => each !== null);
  return spend(state, { run: run.token, steps: 0, ms: outcome?.durationMs ?? 0, ...costOf(counted) });
}

function spend({ storage, payers }: RunState, line: SpentLine): Promise<Result<void, Fault>> {
  const threads = payers.map(({ thread }) => thread);
  return addSpent(storage, threads, line);
}
