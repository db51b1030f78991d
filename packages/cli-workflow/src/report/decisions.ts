import {
  type EvaluationSession,
  explain,
  isPlainCondition,
  openEvaluationSession,
  stepsNeeded,
} from "@uncaged/workflow-moderator";
import {
  type END,
  type FAIL,
  type ModeratorContext,
  messageOf,
  START,
  type Transition,
  type WorkflowPayload,
} from "@uncaged/workflow-protocol";
import type { ReportTransition } from "@uncaged/workflow-report";

type Decisions = {
  readonly workflow: WorkflowPayload;
  /** The whole history. */
  readonly context: ModeratorContext;
  /** How the thread ended by itself. */
  readonly end: typeof END | typeof FAIL | null;
  /** Whether all conditions are evaluated, each of them at each step, whatever that costs. */
  readonly explained: boolean;
};

/** For the conditions that are evaluated all the same, in steps of evaluation, which take about 0.7 µs each. */
const ALLOWANCE = 500_000;

/**
 * Why each step was made: the condition of the transition that led to it, in the words of `workflow graph` where it has
 * none. `""`: not known, as what costs time is not evaluated.
 */
export async function explainReasons(
  workflow: WorkflowPayload,
  context: ModeratorContext,
): Promise<readonly string[]> {
  const made = await explainDecisions({ workflow, context, end: null, explained: false });
  return context.steps.map((_step, at) => {
    const looked = made[at] ?? [];
    const index = looked.findIndex(({ taken }) => taken);
    return index === -1 ? "" : (looked[index]?.condition ?? (index === 0 ? "always" : "otherwise"));
  });
}

/** The decision after n steps, for every n from 0 on. */
export async function explainDecisions(
  decisions: Decisions,
): Promise<readonly (readonly ReportTransition[])[]> {
  const { steps } = decisions.context;
  const windows = new Map<string, number | null>();
  const made: (readonly ReportTransition[])[] = [];
  // It starts no process: it is only asked for plain conditions.
  const session = openEvaluationSession();
  for (let count = 0; count <= steps.length; count += 1) {
    const key = steps[count - 1]?.role ?? START;
    if (!windows.has(key)) windows.set(key, await stepsNeeded(decisions.workflow, key));
    const window = windows.get(key) ?? count;
    const seen = { ...decisions.context, steps: steps.slice(Math.max(0, count - window), count) };
    const next = steps[count]?.role ?? (count === steps.length ? decisions.end : null);
    made.push(await explainDecision(decisions, { key, seen, next }, session));
  }
  return made;
}

type At = {
  readonly key: string;
  /** As much of the history as the conditions after this role can read. */
  readonly seen: ModeratorContext;
  /** Where it really went; `null`: nowhere yet. */
  readonly next: string | null;
};

async function explainDecision(
  { workflow, explained }: Decisions,
  { key, seen, next }: At,
  session: EvaluationSession,
): Promise<readonly ReportTransition[]> {
  const looked: Looked[] = [];
  if (explained) looked.push(...(await explain(workflow, seen)).transitions);
  else
    for (const each of transitionsOf(workflow, key))
      looked.push(await inspectTransition(workflow, each, seen, session));
  const taken = takenTransitions(looked, next);
  // `decide` did not look at the transitions after the one that it took.
  return looked
    .slice(0, taken === -1 || explained ? looked.length : taken + 1)
    .map((transition, at) => ({ ...transition, taken: at === taken }));
}

function transitionsOf({ graph }: WorkflowPayload, key: string): readonly Transition[] {
  return Object.hasOwn(graph, key) ? (graph[key] ?? []) : [];
}

type Looked = Omit<ReportTransition, "taken">;

/** Only what is evaluated in this process, and as long as the allowance lasts. */
async function inspectTransition(
  { conditions }: WorkflowPayload,
  { role, condition }: Transition,
  seen: ModeratorContext,
  session: EvaluationSession,
): Promise<Looked> {
  if (condition === null) return { role, condition, expression: null, value: true, error: null };
  const expression = Object.hasOwn(conditions, condition) ? (conditions[condition]?.expression ?? "") : "";
  const isAffordable = session.cost() <= ALLOWANCE && (await isPlainCondition(expression));
  if (!isAffordable) return { role, condition, expression, value: null, error: null };
  const observed = await session.observe(expression, seen);
  if (observed.ok) {
    const { json } = observed.value;
    return { role, condition, expression, value: json === null ? null : JSON.parse(json), error: null };
  }
  const error = typeof observed.error === "string" ? observed.error : messageOf(observed.error);
  return { role, condition, expression, value: null, error };
}

/** The first that matches; where one before it was not evaluated, the first that leads where the thread went. */
function takenTransitions(looked: readonly Looked[], next: string | null): number {
  const matching = looked.findIndex(({ value }) => value === true);
  const isKnown = matching !== -1 && looked.slice(0, matching).every(({ value }) => value === false);
  if (isKnown && (next === null || looked[matching]?.role === next)) return matching;
  return next === null ? -1 : looked.findIndex(({ role, value }) => role === next && value !== false);
}
