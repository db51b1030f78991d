import { isObject, type JsonValue, LAST_TIME } from "@uncaged/json-cas";
import { type Fault, ok, type Result } from "@uncaged/workflow-protocol";
import type { ReportAnswer, ReportTransition, StepFacts, StepText } from "@uncaged/workflow-report";
import {
  type Chain,
  costsNothing,
  expandDetail,
  readReply,
  readSession,
  type Storage,
  TYPE,
} from "@uncaged/workflow-store";
import { findFrontmatter, repeatsOutput } from "@uncaged/workflow-util";
import { listAt, member, textAt } from "../members.js";

type Step = Chain["steps"][number];

type Known = {
  readonly output: StepFacts["output"];
  readonly decision: readonly ReportTransition[];
  /** Whether its prompt, reply and tool calls are read. */
  readonly texts: boolean;
};

/** What a report says of one step. */
export function stepFacts(
  { cas }: Storage,
  { hash, timestamp, payload }: Step,
  { output, decision, texts: withTexts }: Known,
): Result<Omit<StepFacts, "files" | "difference">, Fault> {
  const { role, agent, detail } = payload;
  const session = readSession(cas, detail);
  if (!session.ok) return session;
  const reply = readReply(cas, detail);
  if (!reply.ok) return reply;
  const answer = readAnswer(cas, detail);
  if (!answer.ok) return answer;
  const texts = session.value === null ? ok([]) : withTexts ? detailTexts(cas, detail) : ok(null);
  if (!texts.ok) return texts;
  const { cwd = null, model = null, usage = null, durationMs = null, extract = null } = session.value ?? {};
  return ok({
    ...{ hash, role, agent, timestamp, output, decision, model, usage, durationMs, extract, cwd },
    texts: texts.value,
    reply: reply.value === null || repeatsOutput(reply.value, output) ? null : withoutHeader(reply.value),
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
function readAnswer(
  cas: Storage["cas"],
  detail: Step["payload"]["detail"],
): Result<ReportAnswer | null, Fault> {
  if (cas.get(detail)?.type !== TYPE.answer) return ok(null);
  const read = expandDetail(cas, detail);
  if (!read.ok || !isObject(read.value)) return read.ok ? ok(null) : read;
  const { by, at, via, question, askedAt, timedOut } = read.value;
  return ok({
    by: textOf(by),
    at: timeIn(at),
    via: textOf(via),
    question: isObject(question) ? textOf(question.text) : "",
    askedAt: timeIn(askedAt),
    timedOut: timedOut === true,
  });
}

/** The schema of an answer allows any count, and another program may have written an imported one. */
function timeIn(value: unknown): number | null {
  return Number(value) <= LAST_TIME ? Number(value) : null;
}

/** What happened inside a session, in its order. */
export function detailTexts(
  cas: Storage["cas"],
  detail: Step["payload"]["detail"],
): Result<readonly StepText[], Fault> {
  const read = expandDetail(cas, detail);
  return read.ok ? ok(sessionTexts(read.value, "")) : read;
}

function sessionTexts(session: JsonValue, begin: string): readonly StepText[] {
  const extraction = member(session, "extract");
  return [
    ...contentAt(session, "prompt", `${begin}Prompt`),
    ...listAt(session, "turns").flatMap((turn, at) => turnTexts(turn, `${begin}Turn ${at + 1}`)),
    ...contentAt(session, "raw", `${begin}Reply`),
    ...(extraction === null ? [] : sessionTexts(extraction, "Extraction: ")),
  ];
}

function turnTexts(turn: JsonValue, name: string): readonly StepText[] {
  return [
    ...contentAt(turn, "input", `${name}, input`),
    ...listAt(turn, "toolCalls").flatMap((call) => {
      const tool = `${name}, ${textAt(call, "name") ?? "tool"}`;
      return [
        ...contentAt(call, "arguments", `${tool}: arguments`),
        ...contentAt(call, "result", `${tool}: result`),
      ];
    }),
    ...contentAt(turn, "output", `${name}, output`),
  ];
}

/** A text that is there; a gone one says so. */
function contentAt(parent: JsonValue, name: string, title: string): readonly StepText[] {
  const content = member(parent, name);
  const gone = textAt(content, "missing");
  const text = textAt(content, "text") ?? (gone === null ? "" : `(node ${gone} is gone)`);
  return text === "" ? [] : [{ title, text }];
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}
