import { type CasRef, END, FAIL, type ThreadId, type UsageSum } from "@uncaged/workflow-protocol";
import { isInherited } from "@uncaged/workflow-util";
import { graphOf, type Path } from "../graph/index.js";
import { costsOf, totalOf } from "./costs.js";
import { diffOf, fieldsOf } from "./fields.js";
import type {
  ChildFacts,
  FailureFacts,
  ReportChild,
  ReportStep,
  Span,
  ThreadFacts,
  ThreadReport,
} from "./types.js";

/** The report of a thread and of those that it has started: the same facts give the same report. */
export function reportOf(facts: ThreadFacts): ThreadReport {
  const { workflow, start, startedAt, ended } = facts;
  const { source } = workflow;
  const graph = graphOf(source, pathOf(facts));
  const children = facts.children.map((child) => ({ head: child.head, child: childOf(child) }));
  const heads = [start.hash, ...facts.steps.map(({ hash }) => hash)];
  const failures = failuresByHead(facts);
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
    workMs: roles.reduce((sum, { durationMs }) => sum + durationMs, 0),
    askedMs: spans.reduce((sum, { kind, from, to }) => sum + (kind === "answer" ? to - from : 0), 0),
    graph,
    decision: facts.decision,
    steps,
    failures: open,
    failed: facts.failures?.length ?? null,
    children: at(last),
    spans,
    roles,
    total: totalOf(roles, work.failures),
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

function childOf({ role, item, thread }: ChildFacts): ReportChild {
  return { role, item, report: reportOf(thread) };
}

function failuresByHead({ failures }: ThreadFacts): ReadonlyMap<string, readonly FailureFacts[]> {
  const byHead = new Map<string, FailureFacts[]>();
  for (const failure of failures ?? []) {
    const head = failure.head ?? "";
    byHead.set(head, [...(byHead.get(head) ?? []), failure]);
  }
  return byHead;
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
export type ThreadSummary = {
  readonly thread: ThreadId;
  readonly workflow: { readonly hash: CasRef; readonly name: string };
  /** The beginning of it, on one line. */
  readonly task: string;
  readonly state: ThreadReport["state"];
  /** Epoch ms. */
  readonly startedAt: number;
  readonly lastAt: number;
  readonly steps: number;
  /** Failed runs; `null`: not known. */
  readonly failed: number | null;
  readonly total: UsageSum;
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
