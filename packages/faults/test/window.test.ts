import type { ModeratorContext } from "@uncaged/workflow-protocol";
import { describe, expect, it } from "vitest";
import { runKind } from "../src/frame.js";
import { compare, window } from "../src/window/window.js";

const HISTORY = {
  start: { workflow: "0000000000000", prompt: "Do it" },
  steps: ["a", "b"].map((role) => ({ role, output: {}, detail: "0000000000001", agent: "uwf-mock" })),
} as unknown as ModeratorContext;

describe("a decision over the window, or over what a cache gives", () => {
  it("is the decision over the whole history, whatever happens to the cache", async () => {
    const { figures, violations } = await runKind(window, 1, { level: "sample" });
    expect(violations).toEqual([]);
    expect(figures["expressions and histories"]).toBe(1000);
    expect(figures["decided over a window"]).toBeGreaterThan(200);
    expect(figures["caches spoilt"]).toBeGreaterThan(200);
    expect(figures["read from a cache"]).toBeGreaterThan(200);
  });

  it("would differ with a window that is too small", async () => {
    const tooSmall = async () => 1;
    expect((await compare("steps[-2].role = 'a'", HISTORY, HISTORY, tooSmall)).difference).toContain(
      "last 1 give",
    );
    expect((await compare("steps[-2].role = 'a'", HISTORY)).difference).toBeNull();
  });

  it("would differ with a wrong cache", async () => {
    const short = { ...HISTORY, steps: HISTORY.steps.slice(1) };
    const { difference } = await compare("$count(steps) = 2", HISTORY, short);
    expect(difference).toContain("all of the cache give");
  });
});
