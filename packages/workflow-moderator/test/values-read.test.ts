import type { ModeratorContext } from "@uncaged/workflow-protocol";
import { describe, expect, it } from "vitest";
import { valuesRead } from "../src/index.js";

const step = (role: string, output: object) => ({ role, output, detail: "D", agent: "a" });

const CONTEXT = {
  start: { workflow: "W", prompt: "Do it" },
  steps: [step("maker", { text: "one" }), step("checker", { approved: false, size: { lines: 3 } })],
} as unknown as ModeratorContext;

describe("the values that a condition looks at", () => {
  it.each([
    ["steps[-1].output.approved = false", { approved: false }],
    ["steps[-1].output.size.lines > 2 and steps[-1].role = 'checker'", { "size.lines": 3, role: "checker" }],
    ["steps[-2].output.text = 'one'", { "steps[-2].output.text": "one" }],
    ["start.prompt = 'x' or $not(steps[-1].output.approved)", { "start.prompt": "Do it", approved: false }],
    ["$count(steps) >= 2", { steps: 2 }],
    ["$count(steps[role = 'maker']) > 1", { "steps of maker": 1 }],
    ["$count(steps[output.approved = false]) > 1", {}],
    ["$exists(steps[-1].output.approved)", { approved: false }],
    ["steps[-1].output.approved = steps[-1].output.approved", { approved: false }],
    ["steps[-1].output.nothing = 1", {}],
    ["steps[-1].output.size = 1", {}],
    ["$lowercase(steps[-2].output.text) = 'one'", { "steps[-2].output.text": "one" }],
    ["start.prompt != 'steps[-1].output.approved'", { "start.prompt": "Do it" }],
    ["$sum(steps[-1].output.size.lines[0]) > 2", {}],
    ["$sum(steps.output.size.lines) > 2", {}],
    ["not a condition", {}],
  ])("of %s", (expression, expected) => {
    const read = valuesRead(expression, CONTEXT);
    expect(Object.fromEntries(read.map(({ path, value }) => [path, value]))).toEqual(expected);
  });

  it("are none of an output that cannot be read", () => {
    const broken = {
      role: "maker",
      get output(): never {
        throw new Error("damaged");
      },
      detail: "D",
      agent: "a",
    };
    const context = { ...CONTEXT, steps: [broken] } as unknown as ModeratorContext;
    expect(valuesRead("steps[-1].output.approved = false", context)).toEqual([]);
  });
});
