import { END, FAIL } from "@uncaged/workflow-protocol";
import { isInherited } from "@uncaged/workflow-util";
import { graphOf, type Path } from "../graph/index.js";
import { costsOf, totalOf } from "./costs.js";
import { diffOf, fieldsOf } from "./fields.js";
import { spansOf } from "./spans.js";
import type {
  ChildFacts,
  FailureFacts,
  ReportChild,
  ReportStep,
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
