import { describe, expect, it } from "vitest";
import { children } from "../src/children.js";
import { runKind } from "../src/frame.js";

describe("a map over child threads", () => {
  it("comes to its end in order, with one child for each item and no reply paid for twice", async () => {
    const { figures, violations } = await runKind(children, 5, { level: "sample" });
    expect(violations).toEqual([]);
    expect(figures["maps to their end"]).toBe(1);
  }, 240_000);
});
