import { describe, expect, it } from "vitest";
import { stepsNeeded } from "../../src/index.js";
import { stored, to } from "../support/index.js";

// window-properties.test.ts shows that a decision over the window is the one over the whole history.

describe("stepsNeeded", () => {
  it("is one step, or more if a condition after that role looks further back", async () => {
    const conditions = {
      last: "steps[-1].output.ok",
      third: "steps[-3].output.ok",
      all: "$count(steps) > 3",
    };
    const workflow = stored(["a", "b", "c"], conditions, {
      $START: to(["a", null]),
      a: to(["b", "last"], ["a", null]),
      b: to(["a", "last"], ["c", "third"], ["b", null]),
      c: to(["a", "all"], ["c", null]),
    });
    expect(await stepsNeeded(workflow, "$START")).toBe(1);
    expect(await stepsNeeded(workflow, "a")).toBe(1);
    expect(await stepsNeeded(workflow, "b")).toBe(3);
    expect(await stepsNeeded(workflow, "c")).toBeNull();
    expect(await stepsNeeded(workflow, "stranger")).toBe(1);
  });

  it("ignores a condition that cannot be evaluated", async () => {
    const graph = { $START: to(["a", null]), a: to(["a", "broken"], ["a", "unknown"]) };
    expect(await stepsNeeded(stored(["a"], { broken: "steps[" }, graph), "a")).toBe(1);
  });
});
