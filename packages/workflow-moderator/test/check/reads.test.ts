import { describe, expect, it } from "vitest";
import { checkWorkflow } from "../../src/check/index.js";
import { authored, to } from "../support/index.js";

const META = {
  type: "object",
  properties: {
    approved: { type: "boolean" },
    comments: { type: "string" },
    report: { type: "object", properties: { score: {}, note: {} }, required: ["score"] },
    items: { type: "array", items: { type: "object", required: ["name"] } },
    kind: { $ref: "#/$defs/kind" },
  },
  required: ["approved", "report", "items", "kind"],
  $defs: { kind: { type: "object", required: ["id"] } },
};

const UNION = {
  oneOf: [
    { type: "object", required: ["status", "reason"] },
    { allOf: [{ required: ["status"] }], type: "object" },
  ],
};

function problems(expression: string, meta: object = META) {
  const graph = { $START: to(["reviewer", null]), reviewer: to(["reviewer", "c"], ["$END", null]) };
  return checkWorkflow(authored({ reviewer: meta as typeof META }, { c: expression }, graph));
}

describe("a condition that reads a field which the role's meta does not require", () => {
  it.each([
    "steps[-1].output.comments = 'x'",
    "$$.steps[-1].output.comments != 'x'",
    "steps[-1].output.report.note = 'x'",
    "$not(steps[-1].output.comments)",
    "steps[-1].output.items.size > 0",
    "steps[-1].output.comments[0] = 'x'",
  ])("is warned about: %s", (expression) => {
    expect(problems(expression)).toMatchObject([
      { severity: "warning", path: "/conditions/c/expression", message: expect.stringContaining("reviewer") },
    ]);
  });

  it.each([
    "steps[-1].output.approved = false",
    "steps[-1].output.report.score > 3",
    "steps[-1].output.kind.id = 1",
    "steps[-1].output.items.name = 'x'",
    "$exists(steps[-1].output.comments) and steps[-1].output.comments = 'x'",
    "(steps[-1].output.comments ?? '') = 'x'",
    "(steps[-1].output.comments ?: '') = 'x'",
    "steps[-1].role = 'reviewer' and steps[-1].output.comments = 'x'",
    "steps[-2].output.comments = 'x'",
    "$count(steps[output.comments = 'x']) > 0",
    "$count(steps) > 3",
  ])("is not warned about otherwise: %s", (expression) => {
    expect(problems(expression)).toEqual([]);
  });

  it("is found in every variant of a union", () => {
    expect(problems("steps[-1].output.status = 1", UNION)).toEqual([]);
    expect(problems("steps[-1].output.reason = 1", UNION)).toMatchObject([{ severity: "warning" }]);
  });

  it("has a did-you-mean if the field is not declared", () => {
    expect(problems("steps[-1].output.aproved = true")).toMatchObject([{ suggestion: "approved" }]);
  });

  it("is refused at $START, where there is no step", () => {
    const graph = { $START: to(["a", "c"], ["a", null]), a: to(["$END", null]) };
    const found = checkWorkflow(authored({ a: META }, { c: "steps[-1].output.approved = true" }, graph));
    expect(found).toMatchObject([
      { severity: "error", code: "never-true", message: expect.stringContaining("$START") },
    ]);
  });

  it("is checked at every node that uses the condition", () => {
    const LAX = { ...META, properties: { ...META.properties, text: {} }, required: ["text"] };
    const graph = {
      $START: to(["a", null]),
      a: to(["b", "c"], ["$END", null]),
      b: to(["a", "c"], ["$END", null]),
    };
    const found = checkWorkflow(authored({ a: META, b: LAX }, { c: "steps[-1].output.approved" }, graph));
    expect(found).toMatchObject([{ message: expect.stringContaining("after b") }]);
  });

  it("terminates for circular schemas", () => {
    const circle = { type: "object", allOf: [{ $ref: "#" }], oneOf: [{ $ref: "#/oneOf/0" }] };
    expect(problems("steps[-1].output.x = 1", circle)).toMatchObject([{ severity: "warning" }]);
  });
});
