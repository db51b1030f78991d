import { describe, expect, it } from "vitest";
import { cron } from "../src/cron/cron.js";
import { runKind } from "../src/frame.js";

describe("one line of cron", () => {
  it("passes over what waits, takes everything else to its end, and starts nobody twice", async () => {
    const { figures, violations } = await runKind(cron, 3, { level: "sample" });
    expect(violations).toEqual([]);
    expect(figures["answers of threads that wait"]).toBe(12);
    expect(figures["threads that cron has taken to their end"]).toBe(4);
    expect(figures["answers of people"]).toBeGreaterThanOrEqual(3);
  }, 240_000);
});
