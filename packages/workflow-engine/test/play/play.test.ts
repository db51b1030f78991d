import { describe, expect, it } from "vitest";
import { coverageOf } from "../../src/play/test-workflows.js";
import { assembledText, entry, loopYaml, played } from "./support.js";

const LOOP = loopYaml();
const WORK = `roles:\n  worker:\n${entry("note: done")}`;
const APPROVED = `${WORK}  checker:\n${entry("approved: true")}`;
const REJECTED_ONCE = `${WORK}  checker:\n${entry("approved: false")}${entry("approved: true")}`;
const REJECTED = `${WORK}  checker:\n${entry("approved: false")}`;

const roles = (steps: readonly { readonly role: string }[]) => steps.map(({ role }) => role).join(" ");

describe("a scenario", () => {
  it("is played from $START to the end of the graph, each role's replies in the order of its visits", async () => {
    const { steps, end, failure } = await played(LOOP, REJECTED_ONCE);
    expect(roles(steps)).toBe("worker checker worker checker");
    expect(steps.map(({ output }) => output)).toEqual([
      { note: "done" },
      { approved: false },
      { note: "done" },
      { approved: true },
    ]);
    expect({ end, failure }).toEqual({ end: "$END", failure: null });
  });

  it("has to end at $END, unless it says that it ends at $FAIL", async () => {
    const said = await played(LOOP, `end: $FAIL\n${REJECTED}`);
    expect([said.end, said.failure]).toEqual(["$FAIL", null]);
    const unsaid = await played(LOOP, REJECTED);
    expect(unsaid.end).toBe("$FAIL");
    expect(unsaid.failure).toMatchObject({
      kind: "wrong-end",
      message: "the thread ends at $FAIL, expected $END",
      hint: "if it is meant to end there, write `end: $FAIL` into the scenario",
      step: 7,
      expected: "$END",
      got: "$FAIL",
    });
    const other = await played(LOOP, `end: $FAIL\n${APPROVED}`);
    expect(other.failure).toMatchObject({
      kind: "wrong-end",
      expected: "$FAIL",
      got: "$END",
      place: ["end"],
    });
  });

  it("gives the thread its prompt, which conditions can read", async () => {
    const expression = "start.prompt = 'now'";
    const workflow = LOOP.replace("steps[-1].output.approved = false", expression);
    expect(roles((await played(workflow, `prompt: now\n${REJECTED}`)).steps)).toMatch(
      /^worker checker worker/,
    );
    expect(roles((await played(workflow, REJECTED)).steps)).toBe("worker checker");
  });

  it("reads its whole history in every decision, also with what is evaluated in a process of its own", async () => {
    const rounds =
      "$count(steps.(role = 'checker' ? 1)) >= 20 and $contains($join(steps.role, ' '), /checker$/)";
    const workflow = LOOP.replace("$count(steps[role = 'checker']) >= 3", rounds).replace(
      `expression: ${rounds}`,
      `expression: "${rounds}"`,
    );
    const { steps, end, failure } = await played(workflow, `end: $FAIL\n${REJECTED}`);
    expect([steps.length, end, failure]).toEqual([40, "$FAIL", null]);
  });

  it("ends at the limit of steps, with the roles that went round", async () => {
    const workflow = LOOP.replace(">= 3", ">= 300");
    const { steps, end, failure } = await played(workflow, REJECTED, { maxSteps: 9 });
    expect([steps.length, end]).toEqual([9, null]);
    expect(failure).toMatchObject({
      kind: "too-long",
      step: 10,
      message:
        "it has not ended after 9 steps; the last were checker → worker → checker → worker → checker → worker",
    });
  });
});

describe("the first wrong step", () => {
  it("is a role that `expect` does not have there, with what each transition was", async () => {
    const { steps, failure } = await played(LOOP, `expect: [worker, checker, checker]\n${REJECTED}`);
    expect(steps).toHaveLength(2);
    expect(failure).toMatchObject({
      kind: "wrong-role",
      message: "step 3 is worker, expected checker",
      step: 3,
      expected: "checker",
      got: "worker",
      place: ["expect", 2],
      after: { role: "checker", output: { approved: false } },
      transitions: [
        { role: "$FAIL", condition: "hopeless", value: false, error: null },
        { role: "worker", condition: "rejected", value: true, error: null },
        { role: "$END", condition: null, value: true, error: null },
      ],
    });
  });

  it("is the end, where `expect` goes on", async () => {
    const { failure } = await played(LOOP, `expect: [worker, checker, worker]\n${APPROVED}`);
    expect(failure).toMatchObject({
      kind: "wrong-role",
      message: "the thread ends at $END, expected worker as step 3",
      expected: "worker",
      got: "$END",
    });
  });

  it("is the step after the last one of `expect`", async () => {
    const { failure } = await played(LOOP, `expect: [worker, checker]\n${REJECTED}`);
    expect(failure).toMatchObject({
      message: "step 3 is worker, expected $END after step 2",
      expected: "$END",
      got: "worker",
      place: ["expect", 1],
    });
    const none = await played(LOOP, `expect: []\n${REJECTED}`);
    expect(none.failure).toMatchObject({ step: 1, expected: "$END", got: "worker", after: null });
  });

  it("is a role without a reply", async () => {
    const { steps, failure } = await played(LOOP, WORK);
    expect(steps).toHaveLength(1);
    expect(failure).toMatchObject({
      kind: "no-reply",
      message: "the scenario has no reply for checker",
      step: 2,
    });
  });

  it("is a reply that its role's meta does not accept, with every violation", async () => {
    const { failure } = await played(LOOP, `${WORK}  checker:\n${entry("approved: perhaps", "timedOut: 1")}`);
    expect(failure).toMatchObject({
      kind: "invalid-reply",
      message: "reply 1 of checker is not valid",
      place: ["roles", "checker", 0, "reply"],
    });
    expect(failure?.problems).toHaveLength(2);
    expect(failure?.problems.join("\n")).toMatch(/\/approved: .*boolean[\s\S]*\/timedOut: .*boolean/);
  });

  it("is an entry whose agent fails", async () => {
    const { failure } = await played(LOOP, `${WORK}  checker:\n    - exitCode: 3\n`);
    expect(failure).toMatchObject({
      kind: "failed-reply",
      message: "entry 1 of checker exits with 3, as the scenario says",
    });
  });

  it("is a decision that fails, with the sentence of a real step", async () => {
    const dividing = "$number(steps[-1].output.note) > 1";
    const workflow = LOOP.replace("steps[-1].output.approved = false", dividing).replace(
      "worker: [{ role: checker, condition: null }]",
      "worker: [{ role: $END, condition: rejected }, { role: checker, condition: null }]",
    );
    const { failure } = await played(workflow, APPROVED);
    expect(failure).toMatchObject({ kind: "routing", step: 2, got: null });
    expect(failure?.message).toMatch(
      /^condition rejected \(\$number.* after worker in workflow loop failed: /,
    );
    expect(failure?.transitions[0]).toMatchObject({ role: "$END", value: null });
  });
});

describe("a role that a person plays", () => {
  const asked = loopYaml("    agent: human\n");

  it("is played by the scenario's reply as their answer, which gets who answered", async () => {
    const { steps, end } = await played(asked, APPROVED);
    expect([steps[1]?.output, end]).toEqual([
      { approved: true, answeredBy: "scenario", timedOut: false },
      "$END",
    ]);
    const own = await played(asked, `${WORK}  checker:\n${entry("approved: true", "timedOut: true")}`);
    expect(own.steps[1]?.output).toMatchObject({ timedOut: true });
  });

  it("has no fields beside the declared ones: a person has mistyped them", async () => {
    const scenario = `${WORK}  checker:\n${entry("approved: true", "aproved: true")}`;
    expect((await played(asked, scenario)).failure?.problems).toEqual(["/aproved: not a declared field"]);
    expect((await played(LOOP, scenario)).failure).toBeNull();
  });
});

describe("a role that child threads play", () => {
  it("is played by the scenario's reply as their output", async () => {
    const workflow = loopYaml("    agent: { workflow: other, each: worker.items }\n")
      .replace("required: [note]", "required: [note, items]")
      .replace("urgent: { type: boolean }", "items: { type: array, items: { type: string } }")
      .replace("required: [approved]", "required: [results, approved]")
      .replace(
        "approved: { type: boolean }",
        "approved: { type: boolean }\n        results: { type: array }",
      );
    const scenario = `roles:\n  worker:\n${entry("note: done", "items: [a, b]")}  checker:\n${entry(
      "results: [{ ok: true }, null]",
      "approved: true",
    )}`;
    const { steps, end } = await played(workflow, scenario);
    expect([steps[1]?.output, end]).toEqual([{ results: [{ ok: true }, null], approved: true }, "$END"]);
  });
});

describe("coverage", () => {
  it("counts how often each transition was taken, and what each condition was", async () => {
    const { payload } = await assembledText(LOOP);
    const { decided } = await played(LOOP, REJECTED_ONCE);
    expect(coverageOf(payload, decided)).toEqual({
      transitions: [
        { from: "$START", role: "worker", condition: null, taken: 1 },
        { from: "worker", role: "checker", condition: null, taken: 2 },
        { from: "checker", role: "$FAIL", condition: "hopeless", taken: 0 },
        { from: "checker", role: "worker", condition: "rejected", taken: 1 },
        { from: "checker", role: "$END", condition: null, taken: 1 },
      ],
      conditions: [
        { condition: "rejected", true: 1, false: 1 },
        { condition: "hopeless", true: 0, false: 2 },
      ],
    });
    expect(coverageOf(payload, []).conditions).toEqual([
      { condition: "rejected", true: 0, false: 0 },
      { condition: "hopeless", true: 0, false: 0 },
    ]);
  });
});
