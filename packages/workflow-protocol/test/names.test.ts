import { describe, expect, it } from "vitest";
import { isHistoryReason, isSessionId, isThreadId, nearWorkflowName } from "../src/index.js";

describe("a name", () => {
  it.each([
    ["Solve_Issue", "solve-issue"],
    ["solveIssue", "solve-issue"],
    ["2 fast reviews!", "fast-reviews"],
    ["solve-issue", null],
    ["123", null],
    ["", null],
  ])("of a workflow that %j may mean is %j", (text, name) => {
    expect(nearWorkflowName(text)).toBe(name);
  });

  it.each([
    ["01KAJ5E8ZJ4N7XK3M9T2V6W8YB", true],
    ["01kaj5e8zj4n7xk3m9t2v6w8yb", false],
    ["81KAJ5E8ZJ4N7XK3M9T2V6W8YB", false],
    ["01KAJ5E8ZJ4N7XK3M9T2V6W8Y", false],
    ["01KAJ5E8ZJ4N7XK3M9T2V6W8YBB", false],
    [["01KAJ5E8ZJ4N7XK3M9T2V6W8YB"], false],
  ])("%j as a thread's id: %j", (value, isId) => {
    expect(isThreadId(value)).toBe(isId);
  });

  // It becomes a word of an agent's command line.
  it.each([
    ["a", true],
    ["a".repeat(128), true],
    ["a".repeat(129), false],
    ["--resume", false],
    ["../a", false],
    ["a\n", false],
    [["a"], false],
    [null, false],
  ])("%j as a session's id: %j", (value, isId) => {
    expect(isSessionId(value)).toBe(isId);
  });

  it.each([
    ["end", true],
    ["failed", true],
    ["killed", true],
    ["ended", false],
    [["end"], false],
    [undefined, false],
  ])("%j as how a thread ended: %j", (value, isReason) => {
    expect(isHistoryReason(value)).toBe(isReason);
  });
});
