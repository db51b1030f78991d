import { describe, expect, it } from "vitest";
import { backoffMs, graceMs } from "../../src/step/agent-environment.js";

describe("the wait before a retry", () => {
  it("doubles from a second up to a minute", () => {
    const waits = [1, 2, 3, 4, 5, 6, 7, 8, 2000].map((attempt) => backoffMs({}, attempt) / 1000);
    expect(waits).toEqual([1, 2, 4, 8, 16, 32, 60, 60, 60]);
  });

  it("has the unit of UWF_BACKOFF_SECONDS", () => {
    expect(backoffMs({ UWF_BACKOFF_SECONDS: "0.01" }, 1)).toBe(10);
    expect(backoffMs({ UWF_BACKOFF_SECONDS: "0.01" }, 100)).toBe(600);
    expect(backoffMs({ UWF_BACKOFF_SECONDS: "0" }, 5)).toBe(0);
  });

  it.each(["", " ", "soon", "-1", "NaN", "Infinity"])("is not changed by %j", (text) => {
    expect(backoffMs({ UWF_BACKOFF_SECONDS: text }, 1)).toBe(1000);
    expect(graceMs({ UWF_GRACE_SECONDS: text })).toBe(5000);
  });
});
