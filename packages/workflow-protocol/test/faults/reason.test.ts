import { describe, expect, it } from "vitest";
import {
  afterAttempts,
  type Fault,
  fault,
  faultIn,
  hintOf,
  isRetryable,
  messageOf,
  ofRun,
  type Problem,
  problemHelp,
  type ReportedFault,
  reportOf,
  whoseIs,
} from "../../src/index.js";

const timeout = fault("AGENT_TIMEOUT", {
  command: "uwf-hermes",
  role: "coder",
  limit: "timeoutSeconds",
  seconds: 60,
});

describe("the fault of a failed run", () => {
  it("says of which attempt it is, where there was more than one", () => {
    const failure = ofRun(timeout, "late");
    expect(afterAttempts(failure, 3)).toEqual({ ...failure, attempts: 3 });
    expect(messageOf(afterAttempts(failure, 3))).toMatch(/; that was the last of 3 attempts/);
    expect(messageOf(failure)).not.toContain("attempts");
  });

  it("counts no attempts where nothing ran", () => {
    const refused = fault("THREAD_BUSY", { thread: "T", holder: "pid 7" });
    expect(afterAttempts(refused, 3)).toEqual(refused);
  });
});

describe("a fault from its report", () => {
  const failure = fault("THREAD_BUSY", { thread: "T", holder: "pid 7" });

  it("is the one that was reported", () => {
    expect(faultIn(reportOf(failure))).toEqual(failure);
  });

  it.each([
    ["nothing", null],
    ["no code", { data: {} }],
    ["a code that is no text", { code: 7, data: {} }],
    ["an unknown code", { code: "NEWER", data: {} }],
    ["the name of a member that every object has", { code: "toString", data: {} }],
    ["no data", { code: "THREAD_BUSY", data: null }],
    ["data that are no object", { code: "THREAD_BUSY", data: "T" }],
  ])("is none where the report has %s", (_case, report) => {
    expect(faultIn(report)).toBeNull();
  });
});

describe("an agent's own failure", () => {
  const failed = (why: object): Fault => fault("AGENT_FAILED", { command: "x", exit: 1, ...why } as never);

  it.each([
    [{}, true],
    [{ reason: "network" }, true],
    [{ reason: "auth" }, false],
    [{ reason: "quota" }, false],
    [{ reason: "network", retryable: false }, false],
    [{ retryable: false }, false],
  ])("is tried again unless only a person can mend it: %j", (why, again) => {
    expect(isRetryable(failed(why))).toBe(again);
  });

  it("says when the provider takes requests again, if it is known", () => {
    expect(hintOf(failed({ reason: "rate-limit", retryAfter: 9 }))).toContain("step again in 9 s");
    expect(hintOf(failed({ reason: "rate-limit" }))).toContain("step again later");
  });
});

describe("an agent's refusal", () => {
  const refusal: ReportedFault = {
    code: "OTHER",
    reason: null,
    retryAfter: null,
    retryable: true,
    message: "m",
    hint: null,
  };

  // What is the machine's stops every thread that plays with this agent.
  it.each<[Partial<ReportedFault>, string]>([
    [{ code: "USAGE" }, "machine"],
    [{ code: "NO_API_KEY" }, "machine"],
    [{ code: "THREAD_BUSY", reason: "auth" }, "machine"],
    [{ code: "THREAD_BUSY", reason: "refused" }, "either"],
    [{ code: "NODE_DAMAGED" }, "copy"],
    [{ code: "USAGE", message: "the prompt is too long for this system" }, "thread"],
  ])("is whose it is by its code, its reason and its text: %j", (change, whose) => {
    expect(
      whoseIs(fault("AGENT_REFUSED", { command: "x", refusal: { ...refusal, ...change } } as never)),
    ).toBe(whose);
  });
});

describe("help for a problem in a file", () => {
  const problem: Problem = {
    severity: "error",
    line: 3,
    column: 5,
    code: "unknown-key",
    path: "/roles/a/goals",
    message: "m",
    suggestion: null,
    also: [],
  };
  const also = (count: number) => Array.from({ length: count }, (_, at) => ({ line: at + 10, column: 1 }));

  it.each<[string, Partial<Problem>, string]>([
    ["nothing to say", {}, ""],
    ["a word", { suggestion: "goal" }, 'did you mean "goal"?'],
    ["a word with quotes", { suggestion: '"a"' }, 'did you mean `"a"`?'],
    ["code", { path: "/conditions/ok/expression", suggestion: "a = 1" }, "did you mean `a = 1`?"],
    ["below code", { path: "/conditions/ok/expression/x", suggestion: "a" }, 'did you mean "a"?'],
    ["other places", { also: also(2) }, "also at 10:1, 11:1"],
    ["as many as are shown", { also: also(5) }, "also at 10:1, 11:1, 12:1, 13:1, 14:1"],
    ["one more", { also: also(6) }, "also at 10:1, 11:1, 12:1, 13:1, 14:1 and 1 more"],
  ])("names %s", (_case, change, help) => {
    expect(problemHelp({ ...problem, ...change })).toBe(help);
  });
});
