import { messageOf } from "@uncaged/workflow-protocol";
import { describe, expect, it } from "vitest";
import { decide } from "../../src/decide.js";
import { frozen, history, stored, to } from "../support/index.js";

const REVIEW = stored(
  ["developer", "reviewer"],
  { rejected: "steps[-1].output.approved = false", approved: "steps[-1].output.approved = true" },
  {
    $START: to(["developer", null]),
    developer: to(["reviewer", null]),
    reviewer: to(["developer", "rejected"], ["$END", "approved"]),
  },
);

async function fails(workflow: typeof REVIEW, context: ReturnType<typeof history>) {
  const decision = await decide(workflow, context);
  if (decision.ok) throw new Error(`decided ${JSON.stringify(decision.value)}`);
  return decision.error;
}

function oneCondition(expression: string) {
  return stored(["reviewer"], { c: expression }, { reviewer: to(["$END", "c"]) });
}

describe("decide", () => {
  it("starts at $START when there is no step", async () => {
    expect(await decide(REVIEW, history())).toMatchObject({
      ok: true,
      value: { kind: "role", role: "developer" },
    });
  });

  it("goes on from the last step's role", async () => {
    const context = history(["reviewer", { approved: true }], ["developer", {}]);
    expect(await decide(REVIEW, context)).toMatchObject({
      ok: true,
      value: { kind: "role", role: "reviewer" },
    });
  });

  it("takes the first transition that matches, and lists those that were tried", async () => {
    expect(await decide(REVIEW, history(["reviewer", { approved: true }]))).toEqual({
      ok: true,
      value: {
        kind: "end",
        reason: "end",
        tried: [
          {
            role: "developer",
            condition: "rejected",
            expression: "steps[-1].output.approved = false",
            value: false,
          },
          {
            role: "$END",
            condition: "approved",
            expression: "steps[-1].output.approved = true",
            value: true,
          },
        ],
      },
    });
  });

  it("always matches a transition without a condition", async () => {
    const workflow = stored(
      ["a"],
      { never: "false" },
      { a: to(["$END", "never"], ["a", null], ["$END", null]) },
    );
    expect(await decide(workflow, history(["a", {}]))).toMatchObject({ ok: true, value: { role: "a" } });
  });

  it("evaluates no condition after the match", async () => {
    const workflow = stored(["a"], { broken: "$error('no')" }, { a: to(["$END", null], ["a", "broken"]) });
    expect(await decide(workflow, history(["a", {}]))).toMatchObject({ ok: true, value: { kind: "end" } });
  });

  it("gives NO_TRANSITION with the conditions that were false", async () => {
    const context = history(["reviewer", { approved: null }]);
    expect(await fails(REVIEW, context)).toEqual({
      code: "NO_TRANSITION",
      workflow: "solve-issue",
      role: "reviewer",
      head: null,
      recorded: null,
      tried: ["rejected", "approved"],
    });
  });

  it("gives NO_TRANSITION if the graph has no entry", async () => {
    expect(await fails(REVIEW, history(["stranger", {}]))).toMatchObject({
      code: "NO_TRANSITION",
      tried: [],
    });
  });

  it("gives UNKNOWN_CONDITION and UNKNOWN_ROLE, though put refuses them", async () => {
    const noCondition = stored(["a"], {}, { $START: to(["a", "gone"]) });
    const noRole = stored([], {}, { $START: to(["gone", null]) });
    expect(await fails(noCondition, history())).toMatchObject({
      code: "UNKNOWN_CONDITION",
      condition: "gone",
    });
    expect(await fails(noRole, history())).toMatchObject({ code: "UNKNOWN_ROLE", target: "gone" });
  });

  it.each(["--check", "-rf", "a b", "a=b", "a\n--b"])(
    "leads to no role whose name an agent could take for an option: %j",
    async (name) => {
      const workflow = stored([name], {}, { $START: to([name, null]) });
      expect(await fails(workflow, history())).toMatchObject({ code: "UNKNOWN_ROLE", target: name });
    },
  );

  it.each(["constructor", "toString", "hasOwnProperty"])("looks up only what is there: %s", async (name) => {
    const workflow = stored(["a"], {}, { $START: to([name, null]), a: to(["a", name]) });
    expect(await fails(workflow, history())).toMatchObject({ code: "UNKNOWN_ROLE", target: name });
    expect(await fails(workflow, history(["a", {}]))).toMatchObject({
      code: "UNKNOWN_CONDITION",
      condition: name,
    });
    expect(await fails(workflow, history([name, {}]))).toMatchObject({ code: "NO_TRANSITION", role: name });
  });

  it("routes through a role called constructor", async () => {
    const workflow = stored(
      ["constructor"],
      {},
      { $START: to(["constructor", null]), constructor: to(["$END", null]) },
    );
    expect(await decide(workflow, history())).toMatchObject({ value: { role: "constructor" } });
    expect(await decide(workflow, history(["constructor", {}]))).toMatchObject({ value: { kind: "end" } });
  });

  it("never counts an error as false", async () => {
    const workflow = stored(["a"], { broken: "1 + 'x'" }, { a: to(["$END", "broken"], ["a", null]) });
    const fault = await fails(workflow, history(["a", {}]));
    expect(fault).toMatchObject({
      code: "CONDITION_FAILED",
      condition: "broken",
      expression: "1 + 'x'",
      head: null,
      recorded: null,
    });
  });

  it("is deterministic, and changes neither workflow nor context", async () => {
    const context = frozen(history(["reviewer", { approved: false }]));
    const first = await decide(frozen(REVIEW), context);
    expect(await decide(REVIEW, context)).toEqual(first);
  });
});

describe("a result that is neither true nor false", () => {
  it.each([
    ["1", "1"],
    ["null", "null"],
    ["'false'", '"false"'],
    ["steps[-1].output.tags", '["a"]'],
    ["steps[-1].output.tags[0]", '"a"'],
    ["steps.role[]", '["reviewer"]'],
    ["steps.role", '"reviewer"'],
    ["{'a': 1}", '{"a":1}'],
    ["$sum", "a function"],
    ["steps[5]", "no value"],
  ])("is CONDITION_NOT_BOOLEAN with its value: %s", async (expression, value) => {
    const fault = await fails(oneCondition(expression), history(["reviewer", { tags: ["a"] }]));
    expect(fault).toMatchObject({
      code: "CONDITION_NOT_BOOLEAN",
      workflow: "solve-issue",
      role: "reviewer",
      value,
    });
  });

  it.each([
    ["steps[-1].output.approved", ["steps[-1].output.approved"]],
    ["$not(steps[-1].output.approved)", ["steps[-1].output.approved"]],
    ["steps[-1].output.score > 3", ["steps[-1].output.score"]],
    ["steps[-1].output.deep.er.still", ["steps[-1].output.deep"]],
    ["steps[-7].output.ok", ["steps[-7]"]],
    ["$$.steps[-1].output.`my field`", ["$$.steps[-1].output.`my field`"]],
    ["($last := steps[-1]; $last.output.gone)", ["$last.output.gone"]],
    ["$exists(steps[-1].output.x) ? steps[-1].output.y : 1", []],
    ["$exists(steps[-1].output.ok) ? steps[-1].output.y : 1", ["steps[-1].output.y"]],
    ["steps[-1].output.ok ? 1 : steps[-1].output.untaken", []],
    ["$join([steps[-1].output.gone], ',')", ["steps[-1].output.gone"]],
    ["steps[-1].output.ok & ''", []],
  ])("tells what was read and does not exist: %s", async (expression, missing) => {
    const fault = await fails(oneCondition(expression), history(["reviewer", { ok: true, deep: {} }]));
    const expected = expression.includes("deep") ? ["steps[-1].output.deep.er"] : missing;
    expect(fault).toMatchObject({ code: "CONDITION_NOT_BOOLEAN", missing: expected });
  });

  it("shows no more than the beginning of a long value", async () => {
    const fault = await fails(oneCondition("start.prompt"), {
      ...history(["reviewer", {}]),
      start: { ...history().start, prompt: "x".repeat(10_000) },
    });
    expect(messageOf(fault).length).toBeLessThan(500);
  });

  it("is false, not missing, if a missing field is compared", async () => {
    for (const expression of ["steps[-1].output.x = 'a'", "steps[-1].output.x != 'a'"]) {
      expect(await fails(oneCondition(expression), history(["reviewer", {}]))).toMatchObject({
        code: "NO_TRANSITION",
      });
    }
  });

  it("does not blame the expression for a system error", async () => {
    const tmpdir = process.env.TMPDIR;
    process.env.TMPDIR = "/no/such/folder";
    try {
      const evaluated = oneCondition("$contains(start.prompt, /a/)");
      expect(await fails(evaluated, history(["reviewer", {}]))).toMatchObject({
        code: "IO_FAILED",
        errno: "ENOENT",
      });
    } finally {
      if (tmpdir === undefined) delete process.env.TMPDIR;
      else process.env.TMPDIR = tmpdir;
    }
  });
});
