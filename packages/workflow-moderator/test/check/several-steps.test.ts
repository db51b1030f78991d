import { describe, expect, it } from "vitest";
import { checkWorkflow } from "../../src/check/index.js";
import { authored, to } from "../support/index.js";

const METAS = {
  reviewer: {
    type: "object",
    required: ["approved", "score"],
    properties: { approved: { type: "boolean" }, score: { type: "integer" } },
  },
  deploy: { type: "object", required: ["ok"], properties: { ok: { type: "boolean" } } },
};

/** Behind the reviewer, who is asked again unless `loops` is false. */
function problems(expression: string, loops = true) {
  const graph = {
    $START: to(["reviewer", null]),
    reviewer: to(["deploy", "c"], [loops ? "reviewer" : "$FAIL", null]),
    deploy: to(["$END", null]),
  };
  return checkWorkflow(authored(METAS, { c: expression }, graph));
}

describe("a condition that takes a field of several steps for one value", () => {
  it.each([
    ["^steps.output.approved", "steps[-1].output.approved"],
    ["^steps.output.approved = true", "steps[-1].output.approved"],
    ["true = ^steps.output.approved", "steps[-1].output.approved"],
    ["^$$.steps.output.score >= 7", "$$.steps[-1].output.score"],
    ["^steps.role = 'deploy'", "steps[-1].role"],
    ["^steps.role != 'deploy' and steps[-1].output.approved", "steps[-1].role"],
    ["^steps[role='reviewer'].output.approved = true", "steps[role='reviewer'][-1].output.approved"],
    ["^steps[role='reviewer'].output.score > 5", "steps[role='reviewer'][-1].output.score"],
    ["^steps[role='reviewer' and output.score > 3].output.approved", null],
  ])("is warned about: %s", (marked, suggestion) => {
    const found = problems(marked.replace("^", "")).find(({ message }) => message.includes("two such steps"));
    expect(found).toMatchObject({ severity: "warning", offset: marked.indexOf("^") });
    if (suggestion !== null) expect(found).toMatchObject({ suggestion });
  });

  it.each([
    "steps[-1].output.approved",
    "steps[0].output.approved = true",
    "steps[role='reviewer'][-1].output.approved = true",
    "steps[role='reviewer'][0].output.score > 5",
    "(steps[role='reviewer'])[-1].output.approved = true",
    "steps[role='deploy'].output.ok = true",
    "steps.output.ok = true",
    "true in steps.output.approved",
    "$max(steps.output.score) > 5",
    "$count(steps[role='reviewer']) > 2",
    "$exists(steps[output.approved = true])",
    "$not(false in steps.output.approved)",
  ])("is not found in another one: %s", (expression) => {
    expect(problems(expression).filter(({ message }) => message.includes("two such steps"))).toEqual([]);
  });

  it("is not found where each role runs once", () => {
    expect(problems("steps.output.approved = true", false)).toEqual([]);
    expect(problems("steps[role='reviewer'].output.approved", false)).toEqual([]);
  });
});

describe("a value that one of several roles can have", () => {
  const roleWith = (value: string) => ({
    type: "object",
    required: ["state"],
    properties: { state: { enum: [value, "bad"] } },
  });

  it.each([
    ["goood", "good"],
    ["good", "goood"],
  ])("is no misspelling of the other's, whichever comes first: %s, %s", (first, second) => {
    const graph = { $START: to(["a", null]), a: to(["b", null]), b: to(["a", "c"], ["$END", null]) };
    const roles = { a: roleWith(first), b: roleWith(second) };
    const found = (text: string) =>
      checkWorkflow(authored(roles, { c: `$count(steps[output.state = '${text}']) > 0` }, graph));
    expect(found("good")).toEqual([]);
    expect(found("gooood")).toMatchObject([{ code: "unknown-value" }]);
  });
});
