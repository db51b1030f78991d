import { isObject } from "@uncaged/json-cas";
import { type Fault, ok, type Result } from "@uncaged/workflow-protocol";
import type { ReportAnswer, ReportTransition, StepFacts } from "@uncaged/workflow-report";
import {
  type Chain,
  costsNothing,
  expandDetail,
  readReply,
  readSession,
  type Storage,
  TYPE,
} from "@uncaged/workflow-store";
import { findFrontmatter } from "@uncaged/workflow-util";

type Step = Chain["steps"][number];

type Known = {
  readonly output: StepFacts["output"];
  readonly decision: readonly ReportTransition[];
};

/** What a report says of one step. */
export function stepFacts(
  { cas }: Storage,
  { hash, timestamp, payload }: Step,
  { output, decision }: Known,
): Result<StepFacts, Fault> {
  const { role, agent, detail } = payload;
  const session = readSession(cas, detail);
  if (!session.ok) return session;
  const reply = readReply(cas, detail);
  if (!reply.ok) return reply;
  const answer = answerOf(cas, detail);
  if (!answer.ok) return answer;
  const { model = null, usage = null, durationMs = null, extract = null } = session.value ?? {};
  return ok({
    ...{ hash, role, agent, timestamp, output, decision, model, usage, durationMs, extract },
    reply: reply.value === null ? null : withoutHeader(reply.value),
    answer: answer.value,
    free: costsNothing(cas, detail),
  });
}

/** Its header is shown as the output. */
function withoutHeader(reply: string): string {
  const found = findFrontmatter(reply);
  return (found.ok ? found.value.find((block) => block.leading) : undefined)?.body ?? reply;
}

/** A person's answer, if the detail is one. */
function answerOf(
  cas: Storage["cas"],
  detail: Step["payload"]["detail"],
): Result<ReportAnswer | null, Fault> {
  if (cas.get(detail)?.type !== TYPE.answer) return ok(null);
  const read = expandDetail(cas, detail);
  if (!read.ok || !isObject(read.value)) return read.ok ? ok(null) : read;
  const { by, at, via, question, askedAt, timedOut } = read.value;
  return ok({
    by: textOf(by),
    at: Number(at),
    via: textOf(via),
    question: isObject(question) ? textOf(question.text) : "",
    askedAt: Number(askedAt),
    timedOut: timedOut === true,
  });
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}
