import { describe, expect, it } from "vitest";
import { checkWorkflow } from "../../src/check/index.js";
import { authored, to } from "../support/index.js";

const METAS = {
  rater: { type: "object", required: ["grade"], properties: { grade: { enum: ["a", "b", 1, 2] } } },
};

function problems(expression: string) {
  const graph = { $START: to(["rater", null]), rater: to(["rater", "c"], ["$END", null]) };
  return checkWorkflow(authored(METAS, { c: expression }, graph));
}

describe("a field that is a text or a number", () => {
  it.each([
    ["steps[-1].output.grade = 3", "steps[-1].output.grade is 1 or 2, never 3", null],
    ["steps[-1].output.grade = 'c'", "steps[-1].output.grade is never 'c'; it is 'a' or 'b'", null],
    ["steps[-1].output.grade = true", "never equal to true", null],
    ["steps[-1].output.grade", "never true or false", null],
  ])("is compared as what it is compared with: %s", (expression, message, suggestion) => {
    const [problem, ...others] = problems(expression);
    expect(others).toEqual([]);
    expect(problem).toMatchObject({ suggestion });
    expect(problem?.message).toContain(message);
  });

  it("is right with either", () => {
    expect(problems("steps[-1].output.grade = 1")).toEqual([]);
    expect(problems("steps[-1].output.grade = 'a'")).toEqual([]);
  });
});
