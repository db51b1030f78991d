import { expect, it } from "vitest";

it("exports the moderator's functions and nothing else", async () => {
  const names = Object.keys(await import("../src/index.js")).sort();
  expect(names).toEqual([
    "decide",
    "evaluateCondition",
    "explain",
    "isSimpleCondition",
    "loadChecks",
    "openEvaluationSession",
    "stepsNeeded",
    "valuesRead",
  ]);
});
