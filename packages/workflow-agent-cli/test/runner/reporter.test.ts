import { describe, expect, it } from "vitest";
import { codex, pi } from "../../src/adapters/index.js";
import { reporter } from "../../src/runner.js";
import { listen } from "../../src/trace.js";

describe("the usage of a process so far", () => {
  it("is reported from time to time, and at once on abort", () => {
    const told: unknown[] = [];
    const ending = new AbortController();
    let now = 0;
    const listener = listen("");
    const context = { report: (used: unknown) => void told.push(used), signal: ending.signal };
    const report = reporter({ adapter: pi, context, now: () => now }, listener);
    listener.hear({ kind: "session", id: "s" });
    listener.hear({ kind: "model", name: "m" });
    report();
    listener.hear({ kind: "usage", tokens: { input: 5, output: 2, costUsd: null } });
    report();
    now = 1000;
    report();
    ending.abort("SIGTERM");
    const usage = { inputTokens: 5, outputTokens: 2, totalTokens: 7, costUsd: null };
    expect(told).toEqual(
      [null, usage, usage].map((used) => ({ sessionId: "s", model: "m", usage: used, words: "" })),
    );
  });

  it("is not reported if it would be that of the whole session", () => {
    const told: unknown[] = [];
    const listener = listen("");
    listener.hear({ kind: "usage", tokens: { input: 5, output: 2, costUsd: null } });
    const context = { report: (used: unknown) => void told.push(used), signal: new AbortController().signal };
    reporter({ adapter: codex, context, now: () => 0 }, listener)();
    expect(told).toEqual([{ sessionId: null, model: null, usage: null, words: "" }]);
  });

  it("has what the model has said last", () => {
    const told: unknown[] = [];
    const listener = listen("");
    listener.hear({ kind: "text", text: "I look at the login first.", delta: false });
    const context = { report: (used: unknown) => void told.push(used), signal: new AbortController().signal };
    reporter({ adapter: codex, context, now: () => 0 }, listener)();
    expect(told).toMatchObject([{ words: "I look at the login first." }]);
  });
});
