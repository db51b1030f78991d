import { describe, expect, it } from "vitest";
import { checkWorkflow } from "../../src/check/index.js";
import { authored, to } from "../support/index.js";

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
