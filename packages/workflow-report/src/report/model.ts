import { addedSums, type CasRef, END, FAIL, sumOfUsage, type UsageSum } from "@uncaged/workflow-protocol";
import { isInherited } from "@uncaged/workflow-util";
import { graphOf, type Path } from "../graph/index.js";
import { diffOf, fieldsOf } from "./fields.js";
import type {
  FailureFacts,
  ReportChild,
  ReportStep,
  RoleCost,
  Span,
  StepFacts,
  ThreadFacts,
  ThreadReport,
} from "./types.js";

/** The report of a thread and of those that it has started: the same facts give the same report. */
export function reportOf(facts: ThreadFacts): ThreadReport {
  const { workflow, start, startedAt, ended } = facts;
  const { source } = workflow;
  const graph = graphOf(source, pathOf(facts));
  const children = facts.children.map(({ head, role, item, thread }) => ({
    head,
    child: { role, item, report: reportOf(thread) },
  }));
  const heads = [start.hash, ...facts.steps.map(({ hash }) => hash)];
  const failures = groupedBy(facts.failures ?? [], ({ head }) => head ?? "");
  const at = (head: string): readonly ReportChild[] =>
    children.filter((each) => each.head === head).map(({ child }) => child);
  const visits = new Map<string, number[]>();
  const steps = facts.steps.map((step, index): ReportStep => {
    const earlier = visits.get(step.role) ?? [];
    const previous = earlier.at(-1) ?? null;
    visits.set(step.role, [...earlier, index]);
    const head = heads[index] ?? start.hash;
    const before = previous === null ? null : (facts.steps[previous] ?? null);
    return {
      ...step,
      number: index + 1,
      visit: earlier.length + 1,
      previous: previous === null ? null : previous + 1,
      inherited: isInherited(step.timestamp, { created: startedAt, start: start.at }),
      fields: () => fieldsOf(step.output, before?.output ?? null),
      replyDiff: () => diffOfReplies(before?.reply ?? null, step.reply),
      failures: failures.get(head) ?? [],
      children: at(head),
    };
  });
  const last = heads.at(-1) ?? start.hash;
  const open = failures.get(last) ?? [];
  const spans = spansOf(steps, open, startedAt);
  const work = { steps, failures: facts.failures ?? [], children: children.map(({ child }) => child) };
  const roles = costsOf(
    graph.nodes.map(({ name }) => name),
    work,
  );
  return {
    thread: facts.thread,
    workflow: { hash: workflow.hash, name: source.name, description: source.description },
    start: start.hash,
    task: start.task,
    state: facts.state,
    held: facts.held,
    startedAt,
    lastAt: spans.reduce((latest, { to }) => Math.max(latest, to), Math.max(startedAt, ended?.at ?? 0)),
    workMs: totalOf(roles.map(({ durationMs }) => durationMs)),
    askedMs: spans.reduce((sum, { kind, from, to }) => sum + (kind === "answer" ? to - from : 0), 0),
    graph,
    decision: facts.decision,
    steps,
    failures: open,
    failed: facts.failures?.length ?? null,
    children: at(last),
    spans,
    roles,
    total: sumOfAll(roles, work.failures),
  };
}

/** Characters. A reply is often written anew: comparing a thousand of 2,000 characters takes seven seconds, of 300 a fifth of one. */
const LONGEST_REPLY = 300;

function diffOfReplies(before: string | null, reply: string | null): ReturnType<ReportStep["replyDiff"]> {
  if (before === null || reply === null || before === reply) return null;
  return Math.max(before.length, reply.length) > LONGEST_REPLY ? null : diffOf(before.trim(), reply.trim());
}

function pathOf({ steps, ended, at }: ThreadFacts): Path {
  const end = ended?.reason === "end" ? END : ended?.reason === "failed" ? FAIL : null;
  return { roles: steps.map(({ role }) => role), end, at };
}

/**
 * When agents worked and when people were asked, oldest first. Nothing is older than the thread: steps that a fork took
 * over are left out, and a clock that went back does not stretch the picture.
 */
function spansOf(
  steps: readonly ReportStep[],
  failures: readonly FailureFacts[],
  startedAt: number,
): readonly Span[] {
  const spans = [
    ...steps.flatMap((step) => [
      ...(step.inherited ? [] : [stepSpan(step)]),
      ...step.failures.map((failure) => failureSpan(failure, step.number)),
    ]),
    ...failures.map((failure) => failureSpan(failure, null)),
  ];
  const clamp = (time: number): number => Math.max(time, startedAt);
  return spans
    .map((span) => ({ ...span, from: clamp(span.from), to: clamp(span.to) }))
    .sort((a, b) => a.from - b.from || a.to - b.to);
}

function stepSpan({ role, number, timestamp, durationMs, answer, children }: ReportStep): Span {
  if (answer !== null) {
    const { askedAt, at } = answer;
    return { role, kind: "answer", step: number, from: askedAt ?? timestamp, to: at ?? timestamp };
  }
  // A step that threads have done takes as long as they did.
  const started = Math.min(timestamp, ...children.map(({ report }) => report.startedAt));
  const from = durationMs === null ? started : timestamp - durationMs;
  return { role, kind: children.length === 0 ? "step" : "threads", step: number, from, to: timestamp };
}

function failureSpan({ role, timestamp, durationMs }: FailureFacts, step: number | null): Span {
  return { role: role ?? "", kind: "failure", step, from: timestamp - (durationMs ?? 0), to: timestamp };
}

/** What a list says of a thread. */
export type ThreadSummary = Pick<
  ThreadReport,
  "thread" | "state" | "startedAt" | "lastAt" | "failed" | "total"
> & {
  readonly workflow: { readonly hash: CasRef; readonly name: string };
  /** The beginning of it, on one line. */
  readonly task: string;
  readonly steps: number;
};

/** Characters of a task. */
const TASK = 100;

export function threadSummary(report: ThreadReport): ThreadSummary {
  const { thread, workflow, task, state, startedAt, lastAt, steps, failed, total } = report;
  const { hash, name } = workflow;
  // The task of a thread that another one has started has headings.
  const line = lineOf(task.replace(/^#+ .*$/gm, "")) || lineOf(task);
  return {
    ...{ thread, workflow: { hash, name }, state, startedAt, lastAt, steps: steps.length, failed, total },
    task: line.length <= TASK ? line : `${line.slice(0, TASK)}…`,
  };
}

function lineOf(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}

type Work = {
  readonly steps: readonly (StepFacts & { readonly inherited: boolean })[];
  readonly failures: readonly FailureFacts[];
  readonly children: readonly ReportChild[];
};

/** What each role has cost; inherited steps were paid for elsewhere. */
function costsOf(roles: readonly string[], work: Work): readonly RoleCost[] {
  return roles.flatMap((role) => {
    const steps = work.steps.filter((step) => step.role === role && !step.inherited);
    const failures = work.failures.filter((failure) => failure.role === role);
    const children = work.children.filter((child) => child.role === role);
    if (steps.length + failures.length + children.length === 0) return [];
    const times = [
      ...steps.map(({ durationMs }) => durationMs),
      ...failures.filter(({ free }) => !free).map(({ durationMs }) => durationMs),
      ...children.map(({ report }) => report.workMs),
    ];
    return [
      {
        role,
        steps: steps.length,
        failures: failures.length,
        durationMs: totalOf(times.map((time) => time ?? 0)),
        sum: together([usageOf(steps, failures), ...children.map(({ report }) => report.total)]),
        below: merged(children.flatMap(({ report }) => report.roles)),
      },
    ];
  });
}

/** Those of the same role as one. */
function merged(costs: readonly RoleCost[]): readonly RoleCost[] {
  return [...groupedBy(costs, ({ role }) => role)].map(([role, all]) => ({
    role,
    steps: totalOf(all.map(({ steps }) => steps)),
    failures: totalOf(all.map(({ failures }) => failures)),
    durationMs: totalOf(all.map(({ durationMs }) => durationMs)),
    sum: together(all.map(({ sum }) => sum)),
    below: merged(all.flatMap(({ below }) => below)),
  }));
}

function groupedBy<T>(list: readonly T[], keyOf: (each: T) => string): ReadonlyMap<string, readonly T[]> {
  const groups = new Map<string, T[]>();
  for (const each of list) {
    const group = groups.get(keyOf(each)) ?? [];
    group.push(each);
    groups.set(keyOf(each), group);
  }
  return groups;
}

export function totalOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0);
}

/** What steps and failed runs have used, extraction included; `null`: no model was paid. */
function usageOf(steps: readonly StepFacts[], failures: readonly FailureFacts[]): UsageSum | null {
  const runs = [
    ...steps.map(({ free, usage, extract }) => ({
      free,
      usages: [usage, ...(extract === null ? [] : [extract.usage])],
    })),
    ...failures.map(({ free, usage, extractUsage }) => ({
      free,
      usages: [usage, ...(extractUsage === null ? [] : [extractUsage])],
    })),
  ];
  const usages = runs.flatMap((run) => (run.free ? [] : run.usages));
  return usages.length === 0 ? null : sumOfUsage(usages);
}

/** A sum of nothing is 0; beside one that is unknown it must not count. */
function together(sums: readonly (UsageSum | null)[]): UsageSum {
  const paid = sums.filter((sum) => sum !== null && !isNothing(sum)).flatMap((sum) => sum ?? []);
  return paid.length === 0 ? sumOfUsage([]) : addedSums(paid);
}

export function isNothing({ totalTokens, costUsd, unknown }: UsageSum): boolean {
  return totalTokens === 0 && costUsd === 0 && unknown.tokens === 0 && unknown.cost === 0;
}

/** The sum of all roles; what belongs to none of them is a run whose line in the log names none. */
function sumOfAll(costs: readonly RoleCost[], failures: readonly FailureFacts[]): UsageSum {
  const nameless = failures.filter(({ role }) => role === null || !costs.some((cost) => cost.role === role));
  return together([...costs.map(({ sum }) => sum), usageOf([], nameless)]);
}
