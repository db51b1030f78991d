import { describe, expect, it } from "vitest";
import { checkWorkflow } from "../../src/check/index.js";
import { authored, type Graph, to } from "../support/index.js";

type Meta = Parameters<typeof authored>[0][string];

function problems(meta: unknown) {
  const graph = { $START: to(["a", null]), a: to(["$END", null]) };
  return checkWorkflow(authored({ a: meta as Meta }, {}, graph));
}

describe("meta", () => {
  it.each([
    { type: "object" },
    { type: ["object"] },
    { oneOf: [{ type: "object" }, { type: "object", required: ["a"] }] },
    { anyOf: [{ type: "object" }] },
    { anyOf: [{ oneOf: [{ type: "object" }] }] },
    { oneOf: [{ $ref: "#/$defs/yes" }], $defs: { yes: { type: "object" } } },
    { $ref: "#/$defs/a~1b", $defs: { "a/b": { type: "object" } } },
  ])("is a schema of an object: %j", (meta) => {
    expect(problems(meta)).toEqual([]);
  });

  it.each([
    {},
    { type: "string" },
    { type: ["object", "null"] },
    { properties: { a: {} } },
    { oneOf: [] },
    { oneOf: [{ type: "object" }, { type: "string" }] },
    { oneOf: [{ type: "object" }, {}] },
    { $ref: "#" },
    { $ref: "#/$defs/gone" },
    { $ref: "https://example.org/x" },
  ])("is refused when it is not: %j", (meta) => {
    expect(problems(meta)).toMatchObject([
      { severity: "error", path: expect.stringMatching(/^\/roles\/a\/meta(\/type)?$/) },
    ]);
  });
});

describe("a meta that requires nothing", () => {
  const optional = { type: "object", properties: { approved: { type: "boolean" } } };
  const gate: Graph = {
    $START: to(["reviewer", null]),
    reviewer: to(["$FAIL", "rejected"], ["$END", null]),
  };
  const rejected = { rejected: "$count(steps) > 3" };

  it.each([
    ["all fields are optional", optional],
    ["behind a reference", { type: "object", $ref: "#/$defs/o", $defs: { o: optional } }],
    ["in one branch of a union", { oneOf: [{ ...optional, required: ["approved"] }, optional] }],
  ])("is warned about in a role that decides the way: %s", (_name, meta) => {
    expect(checkWorkflow(authored({ reviewer: meta }, rejected, gate))).toMatchObject([
      { severity: "warning", code: "nothing-required", path: "/roles/reviewer/meta" },
    ]);
  });

  it.each([
    ["it requires one", { ...optional, required: ["approved"] }],
    ["each branch requires one", { oneOf: [{ ...optional, required: ["approved"] }] }],
    ["it declares no field, and keeps every one", { type: "object" }],
  ])("is fine where %s", (_name, meta) => {
    expect(checkWorkflow(authored({ reviewer: meta }, rejected, gate))).toEqual([]);
  });

  it("is fine in a role that leads to one place only", () => {
    const straight: Graph = { $START: to(["reviewer", null]), reviewer: to(["$END", null]) };
    expect(checkWorkflow(authored({ reviewer: optional }, {}, straight))).toEqual([]);
  });
});
