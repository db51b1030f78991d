import { describe, expect, it } from "vitest";
import { reportOf, type ThreadFacts, threadSummary } from "../../src/index.js";
import { facts, failure, hash, MINUTE, step, T0, used } from "../support/facts.js";

const ENDED = { reason: "end", at: T0 + 10 * MINUTE } as const;

describe("the report of a thread", () => {
  it("is the same for the same facts, which it does not change", () => {
    const given = facts([step("writer", 1), step("reviewer", 3), step("writer", 5)]);
    const before = structuredClone(given);
    const made = (from: ThreadFacts) => {
      const { steps, ...rest } = reportOf(from);
      return {
        ...rest,
        steps: steps.map((each) => ({ ...each, fields: each.fields(), replyDiff: each.replyDiff() })),
      };
    };
    expect(made(given)).toEqual(made(structuredClone(given)));
    expect(given).toEqual(before);
  });

  it("numbers steps and visits, and names the visit before", () => {
    const { steps } = reportOf(facts([step("writer", 1), step("reviewer", 2), step("writer", 3)]));
    expect(steps.map(({ number, visit, previous }) => [number, visit, previous])).toEqual([
      [1, 1, null],
      [2, 1, null],
      [3, 2, 1],
    ]);
  });

  it("says how it ended, or how it stands", () => {
    for (const state of ["ended", "failed", "killed", "held", "failing", "running", "active"] as const)
      expect(reportOf(facts([], { state })).state).toBe(state);
  });

  it("has the path in its graph, the end included", () => {
    const { graph } = reportOf(facts([step("writer", 1), step("reviewer", 2)], { ended: ENDED, at: null }));
    expect(graph.nodes.map(({ name, visits }) => [name, visits])).toEqual([
      ["$START", 1],
      ["writer", 1],
      ["reviewer", 1],
      ["$END", 1],
    ]);
  });
});

describe("failed runs", () => {
  const steps = [step("writer", 2), step("reviewer", 4)];

  it("stand before the step that they were to give, by the head that they started on", () => {
    const failures = [
      failure("writer", 1, { head: "start" }),
      failure("reviewer", 3, { head: "writer-2" }),
      failure("reviewer", 3.5, { head: "writer-2" }),
      failure("writer", 5, { head: "reviewer-4" }),
    ];
    const report = reportOf(facts(steps, { failures }));
    expect(report.steps.map((each) => each.failures.length)).toEqual([1, 2]);
    expect(report.failures).toEqual([failures[3]]);
    expect(report.failed).toBe(4);
  });

  it("are unknown, not none, where the log cannot be read", () => {
    expect(reportOf(facts(steps, { failures: null })).failed).toBeNull();
  });
});

describe("time", () => {
  it("is agents' time alone, failed runs included", () => {
    const failures = [failure("writer", 1, { head: "start" })];
    expect(reportOf(facts([step("writer", 2), step("reviewer", 30)], { failures })).workMs).toBe(
      2.5 * MINUTE,
    );
  });

  it("has a span for each run and for each question", () => {
    const answer = {
      by: "ada",
      at: T0 + 9 * MINUTE,
      via: "field",
      question: "Well?",
      askedAt: T0 + 3 * MINUTE,
      timedOut: false,
    };
    const steps = [step("writer", 2), step("reviewer", 9, { answer, durationMs: null, free: true })];
    const failures = [failure("writer", 1, { head: "start" })];
    expect(reportOf(facts(steps, { failures })).spans).toEqual([
      { role: "writer", kind: "failure", step: 1, from: T0 + MINUTE / 2, to: T0 + MINUTE },
      { role: "writer", kind: "step", step: 1, from: T0 + MINUTE, to: T0 + 2 * MINUTE },
      { role: "reviewer", kind: "answer", step: 2, from: T0 + 3 * MINUTE, to: T0 + 9 * MINUTE },
    ]);
  });

  it("does not begin before the thread: what a fork took over has no span and no cost", () => {
    const report = reportOf(facts([step("writer", -500), step("reviewer", 0.5)]));
    expect(report.steps.map(({ inherited }) => inherited)).toEqual([true, false]);
    expect(report.spans).toEqual([
      { role: "reviewer", kind: "step", step: 2, from: T0, to: T0 + MINUTE / 2 },
    ]);
    expect(report.total.costUsd).toBe(0.25);
    expect(report.roles.map(({ role }) => role)).toEqual(["reviewer"]);
  });

  it("ends with the newest thing that is known", () => {
    const failures = [failure("reviewer", 7, { head: "writer-2" })];
    expect(reportOf(facts([step("writer", 2)], { failures })).lastAt).toBe(T0 + 7 * MINUTE);
    expect(reportOf(facts([])).lastAt).toBe(T0);
    expect(reportOf(facts([step("writer", 2)], { ended: ENDED })).lastAt).toBe(ENDED.at);
  });
});

describe("cost", () => {
  it("is told for each role in the order of the graph, with what its failed runs and extraction cost", () => {
    const steps = [
      step("writer", 1, { extract: { model: "small", usage: used(0.05) } }),
      step("reviewer", 2),
      step("writer", 3),
    ];
    const failures = [failure("reviewer", 1.5, { head: "writer-1", usage: used(0.1) })];
    const { roles, total } = reportOf(facts(steps, { failures }));
    expect(
      roles.map(({ role, steps: count, failures: lost, sum }) => [role, count, lost, sum.costUsd]),
    ).toEqual([
      ["writer", 2, 0, 0.55],
      ["reviewer", 1, 1, 0.35],
    ]);
    expect(total).toMatchObject({ costUsd: 0.9, inputTokens: 5000, unknown: { tokens: 0, cost: 0 } });
  });

  it("is unknown, not 0, where no agent tells it", () => {
    const { total } = reportOf(facts([step("writer", 1, { usage: null })]));
    expect(total).toMatchObject({ costUsd: null, inputTokens: null, unknown: { tokens: 1, cost: 1 } });
  });

  it("counts what threads have cost for the role that they play, and not a second time", () => {
    const child = facts([step("writer", 1), step("reviewer", 2, { usage: used(null) })], {
      start: { hash: hash("child-start"), task: "A part", at: 0 },
    });
    const children = [{ role: "reviewer", item: null, head: "writer-1", thread: child }];
    const played = step("reviewer", 4, { free: true, usage: null, durationMs: null });
    const report = reportOf(facts([step("writer", 1), played], { children }));
    expect(
      report.roles.map(({ role, sum, durationMs }) => [role, sum.costUsd, sum.unknown.cost, durationMs]),
    ).toEqual([
      ["writer", 0.25, 0, MINUTE],
      ["reviewer", 0.25, 1, 2 * MINUTE],
    ]);
    expect(report.total).toMatchObject({ costUsd: 0.5, unknown: { cost: 1 } });
  });

  it("of a role that threads play is told for each of their roles, all threads together", () => {
    const child = facts([step("writer", 1), step("reviewer", 2), step("writer", 3)], {
      failures: [failure("writer", 2.5, { head: "reviewer-2", usage: used(0.1) })],
    });
    const children = [0, 1].map((item) => ({ role: "reviewer", item, head: "writer-1", thread: child }));
    const played = step("reviewer", 9, { free: true, usage: null, durationMs: null });
    const { roles } = reportOf(facts([step("writer", 1), played], { children }));
    expect(roles.map(({ role, below }) => [role, below.length])).toEqual([
      ["writer", 0],
      ["reviewer", 2],
    ]);
    expect(
      roles[1]?.below.map(({ role, steps, failures, durationMs, sum }) => [
        role,
        steps,
        failures,
        durationMs,
        sum.costUsd,
      ]),
    ).toEqual([
      ["writer", 4, 2, 5 * MINUTE, 1.2],
      ["reviewer", 2, 0, 2 * MINUTE, 0.5],
    ]);
  });
});

describe("threads that it has started", () => {
  const child = (item: number) => ({ role: "reviewer", item, thread: facts([step("writer", 3)]) });

  it("are reports at the step that they have done, or that is not done yet", () => {
    const children = [
      { ...child(0), head: "writer-1" },
      { ...child(1), head: "writer-1" },
      { ...child(0), head: "reviewer-5" },
    ];
    const report = reportOf(facts([step("writer", 1), step("reviewer", 5)], { children }));
    expect(report.steps[1]?.children.map(({ item, report: { steps } }) => [item, steps.length])).toEqual([
      [0, 1],
      [1, 1],
    ]);
    expect(report.children.length).toBe(1);
  });
});

describe("the summary of a thread", () => {
  it.each([
    ["Fix  the\nlogin", "Fix the login"],
    ["# Goal\n\nDo it\n\n# This is part of the task\n\nFix #12", "Do it Fix #12"],
    ["#12 is wrong", "#12 is wrong"],
    ["# Only a title", "# Only a title"],
    ["x".repeat(200), `${"x".repeat(100)}…`],
  ])("has the beginning of its task on one line, without headings: %j", (task, line) => {
    expect(threadSummary(reportOf(facts([], { start: { hash: hash("s"), task, at: 0 } }))).task).toBe(line);
  });
});
