import type { JsonObject } from "@uncaged/json-cas";
import { describe, expect, it } from "vitest";
import { closedValues, openValues } from "../../src/example/index.js";

const META: JsonObject = {
  type: "object",
  properties: {
    approved: { type: "boolean" },
    rejected: { type: "boolean" },
    status: { enum: ["approved", "changes", "rejected"] },
    score: { type: "integer", minimum: 1, maximum: 10 },
    review: { type: "object", properties: { ok: { type: "boolean" } } },
    "is ok": { type: "boolean" },
    comments: { type: "string" },
    choice: { enum: ["this or (that", "neither"] },
  },
};

/** A developer and a reviewer in a loop, who leads on where `expression` is true, or where it is not. */
function loop(expression: string, leadsOn: boolean, target = "$END") {
  const [first, second] = leadsOn ? [target, "developer"] : ["developer", target];
  return {
    conditions: {
      it: { description: "", expression },
      hard: { description: "", expression: "$count(steps) > 3" },
    },
    graph: {
      $START: [{ role: "developer", condition: null }],
      developer: [{ role: "reviewer", condition: null }],
      reviewer: [
        { role: "$FAIL", condition: "hard" },
        { role: first, condition: "it" },
        { role: second, condition: null },
      ],
      deploy: [{ role: "$END", condition: null }],
    },
  };
}

const shown = (expression: string, leadsOn: boolean, target?: string) =>
  Object.fromEntries(closedValues(loop(expression, leadsOn, target), "reviewer", META));

describe("the values after which no gate opens", () => {
  it.each([
    ["steps[-1].output.approved = true", true, { "/approved": false }],
    ["steps[-1].output.approved", true, { "/approved": false }],
    ["steps[role='reviewer'][-1].output.approved", true, { "/approved": false }],
    ["$not(steps[-1].output.approved)", false, { "/approved": false }],
    ["steps[-1].output.approved = false", false, { "/approved": false }],
    ["steps[-1].output.approved != true", false, { "/approved": false }],
    ["steps[-1].output.rejected = true", false, { "/rejected": true }],
    ["(steps[-1].output.rejected)", false, { "/rejected": true }],
    ["$not(steps[-1].output.rejected = true)", true, { "/rejected": true }],
    ["steps[-1].output.status = 'approved'", true, { "/status": "changes" }],
    ['steps[-1].output.status = "rejected"', false, { "/status": "rejected" }],
    ["steps[-1].output.score >= 8", true, { "/score": 1 }],
    ["steps[-1].output.score < 3", true, { "/score": 3 }],
    ["steps[-1].output.review.ok = true", true, { "/review/ok": false }],
    ["steps[-1].output.`is ok`", true, { "/is ok": false }],
    [
      "steps[-1].output.approved = true and steps[-1].output.score >= 8",
      true,
      { "/approved": false, "/score": 1 },
    ],
    ["(steps[-1].output.choice = 'this or (that')", true, { "/choice": "neither" }],
    [
      "steps[-1].output.approved and steps[-1].output.choice = 'this or (that'",
      true,
      { "/approved": false, "/choice": "this or (that" },
    ],
    [
      "(steps[-1].output.rejected or steps[-1].output.status = 'rejected')",
      false,
      { "/rejected": false, "/status": "rejected" },
    ],
  ])("of %s, which %s leads on", (expression, leadsOn, values) => {
    expect(shown(expression, leadsOn)).toEqual(values);
    expect(shown(expression, leadsOn, "deploy")).toEqual(values);
  });

  it.each([
    ["steps[-1].output.comments = 'LGTM'", true],
    ["$contains(steps[-1].output.comments, 'LGTM')", true],
    ["start.prompt = 'x'", true],
    ["steps[-1].output.approved = (", true],
    ["", true],
  ])("are not told by %s", (expression, leadsOn) => {
    expect(shown(expression, leadsOn)).toEqual({});
  });

  it("are not told where every way comes back, or every way leads on", () => {
    expect(shown("steps[-1].output.approved", true, "$FAIL")).toEqual({});
    const { conditions, graph } = loop("steps[-1].output.approved", true);
    const onward = { ...graph, developer: [{ role: "$END", condition: null }] };
    expect(closedValues({ conditions, graph: onward }, "reviewer", META).size).toBe(0);
  });

  it("may open nothing by a condition that cannot be read", () => {
    const { conditions, graph } = loop("steps[-1].output.approved", true);
    const [, ...others] = graph.reviewer;
    const opened = { ...graph, reviewer: [{ role: "$END", condition: "hard" }, ...others] };
    expect(closedValues({ conditions, graph: opened }, "reviewer", META).size).toBe(0);
  });

  it("have their counterpart in those of a thread that goes as it is meant", () => {
    const workflow = loop("steps[-1].output.rejected = true or steps[-1].output.approved = false", false);
    expect(Object.fromEntries(openValues(workflow, "reviewer", META))).toEqual({
      "/rejected": false,
      "/approved": true,
    });
    expect(closedValues(workflow, "constructor", META).size).toBe(0);
  });
});
