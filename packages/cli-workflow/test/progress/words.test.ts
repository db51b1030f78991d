import type { CasRef, ThreadId } from "@uncaged/workflow-protocol";
import { describe, expect, it } from "vitest";
import type { StepFacts } from "../../src/progress/index.js";
import { liveLine, stepLine } from "../../src/progress/plain.js";

const SCREEN = { width: 80, colour: false, now: 0 };

const FACTS: StepFacts = {
  thread: "01ARZ3NDEKTSV4RRFFQ69G5FAV" as ThreadId,
  number: 3,
  role: "reviewer",
  roleWidth: 9,
  agent: "uwf-claude",
  head: "0123456789ABC" as CasRef,
  condition: "rejected",
  values: [{ path: "approved", value: false }],
  next: "developer",
  durationMs: 12_300,
  tokens: 3400,
  costUsd: 0.0123,
};

const line = (facts: Partial<StepFacts>) => stepLine({ ...FACTS, ...facts }, SCREEN);

describe("the line of a step", () => {
  it.each([
    [{}, "  3 reviewer   approved: false → developer  12 s  $0.0123\n"],
    [{ values: [] }, "  3 reviewer   rejected → developer  12 s  $0.0123\n"],
    [{ values: [], condition: null, next: "$END" }, "  3 reviewer   → done  12 s  $0.0123\n"],
    [{ next: "$FAIL" }, "  3 reviewer   approved: false → failed  12 s  $0.0123\n"],
    [{ next: null }, "  3 reviewer   approved: false → no decision  12 s  $0.0123\n"],
    [{ costUsd: null }, "  3 reviewer   approved: false → developer  12 s  3.4k tokens\n"],
    [
      { costUsd: null, tokens: null, durationMs: null, number: null },
      "  ? reviewer   approved: false → developer\n",
    ],
    [{ number: 1234 }, "1234 reviewer   approved: false → developer  12 s  $0.0123\n"],
  ])("of %j", (facts, expected) => {
    expect(line(facts)).toBe(expected);
  });

  it("has values that are short, clean and not too many", () => {
    const value = `first\u001b[31m line\nsecond ${"x".repeat(100)}`;
    expect(line({ values: [{ path: "comments", value }] })).toContain(
      "comments: first line second xxxxxxxxxxxxx…",
    );
    const many = Array.from({ length: 20 }, (_, at) => ({ path: `field${at}`, value: at }));
    expect(line({ values: many })).toContain("… → developer");
    expect(line({ values: [{ path: "text", value: "" }] })).toContain('text: "" →');
  });

  it("keeps its columns for roles of any length", () => {
    expect(line({ role: "x".repeat(64), roleWidth: 64 })).toContain(`${"x".repeat(64)}  approved`);
    expect(line({ role: "a", roleWidth: 64 })).toContain(`a${" ".repeat(23)}  approved`);
  });
});

describe("the line that is redrawn", () => {
  const run = {
    number: 3,
    role: "reviewer",
    agent: "uwf-claude",
    elapsedMs: 65_000,
    tokens: 3400,
    words: "I look at the login first, then at the session, then at the cookie and all",
  };

  it("has role, agent, time, tokens and the last words, cut to the screen", () => {
    expect(liveLine("*", run, SCREEN)).toBe(
      "* 3 reviewer  uwf-claude  1 min 05 s  3.4k tokens  I look at the login first,…",
    );
    expect(liveLine("*", { ...run, tokens: null, words: "" }, SCREEN)).toBe(
      "* 3 reviewer  uwf-claude  1 min 05 s",
    );
  });

  it("leaves words out where there is no room for them, and is cut where there is none at all", () => {
    expect(liveLine("*", run, { ...SCREEN, width: 55 })).toBe(
      "* 3 reviewer  uwf-claude  1 min 05 s  3.4k tokens",
    );
    expect(liveLine("*", run, { ...SCREEN, width: 20 })).toBe("* 3 reviewer  uwf-…");
  });
});
