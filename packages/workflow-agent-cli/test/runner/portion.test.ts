import { describe, expect, it } from "vitest";
import { portion } from "../../src/runner.js";
import { listen } from "../../src/trace.js";

function used(inputTokens: number, outputTokens: number) {
  return { inputTokens, outputTokens, totalTokens: inputTokens + outputTokens, costUsd: null };
}

/** What a process is charged with that goes on in a session of which this is known, when the session counts 405 and 28. */
function charged(before: ReturnType<typeof used> | null, resume: string | null = "s") {
  const listener = listen("");
  listener.hear({ kind: "session", id: "s" });
  const context = { sessionUsage: async () => before };
  return portion({ trace: listener.trace(), resume, context, totals: new Map(), counted: used(405, 28) });
}

describe("a process's part of its session's total", () => {
  it("is the whole for a new session", async () => {
    expect(await charged(null, null)).toEqual(used(405, 28));
  });

  it("is the total minus the earlier runs of the session", async () => {
    expect(await charged(used(304, 21))).toEqual(used(101, 7));
  });

  it("is unknown if an earlier part is, or if the counts contradict each other", async () => {
    expect(await charged(null)).toBeNull();
    expect(await charged(used(500, 1))).toBeNull();
  });
});
