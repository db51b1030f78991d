import { describe, expect, it } from "vitest";
import { checkWorkflow } from "../../src/check/index.js";
import { authored, META, to } from "../support/index.js";

const PATH = "steps[-1].output.approved";

function check(expression: string, meta: object = META) {
  const graph = { a: to(["a", "c"], ["$END", null]), $START: to(["a", null]) };
  return checkWorkflow(authored({ a: meta as typeof META }, { c: expression }, graph));
}

function many(part: string, count: number, between: string): string {
  return Array.from({ length: count }, () => part).join(between);
}

describe("the checks terminate without a crash on", () => {
  it.each([
    ["a long sum", many("1", 5_000, "+")],
    ["a long conjunction", many("a", 2_700, " and ")],
    ["a conjunction of paths", many(PATH, 600, " and ")],
    ["a disjunction of comparisons", many(`${PATH}=true`, 120, " or ")],
    ["a long path", many("a", 5_000, ".")],
    ["many filters", `steps${"[role='a']".repeat(900)}`],
    ["filters in filters", `${"steps[".repeat(2_000)}1${"]".repeat(2_000)}`],
    ["functions in functions", `${"function($x){".repeat(900)}1${"}".repeat(900)}`],
    ["choices in choices", `${"a?b:".repeat(3_000)}c`],
  ])("%s", (_, expression) => {
    expect(check(expression)).toBeInstanceOf(Array);
  });

  it.each([
    [
      "that refers in circles",
      { type: "object", anyOf: [{ $ref: "#" }], allOf: [{ $ref: "#" }, { $ref: "#" }] },
    ],
    [
      "that refers to itself in every field",
      {
        type: "object",
        properties: { a: { $ref: "#" } },
        anyOf: [{ $ref: "#" }, { $ref: "#/properties/a" }],
      },
    ],
    [
      "of many variants",
      {
        type: "object",
        anyOf: Array.from({ length: 80 }, (_, i) => ({
          type: "object",
          properties: { [`f${i}`]: { type: "string" } },
          anyOf: Array.from({ length: 80 }, (__, j) => ({ type: "object", properties: { a: { const: j } } })),
        })),
      },
    ],
  ])("a schema %s", (_, meta) => {
    expect(check("steps[-1].output.a.a.a.a.a.b = 'x'", meta)).toBeInstanceOf(Array);
  });
});
