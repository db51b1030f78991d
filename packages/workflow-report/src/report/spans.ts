import type { FailureFacts, ReportStep, Span } from "./types.js";

/**
 * When agents worked and when people were asked, oldest first. Nothing is older than the thread: steps that a fork took
 * over are left out, and a clock that went back does not stretch the picture.
 */
export function spansOf(
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
