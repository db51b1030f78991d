import { describe, expect, it } from "vitest";
import { checkWorkflow } from "../../src/check/index.js";
import { authored, META, to } from "../support/index.js";

function named(name: string) {
  return { ...authored({ a: META }, {}, { $START: to(["a", null]), a: to(["$END", null]) }), name };
}

function withRole(role: string) {
  const roles = Object.fromEntries([[role, META]]);
  return authored(
    roles,
    {},
    Object.fromEntries([
      ["$START", to([role, null])],
      [role, to(["$END", null])],
    ]),
  );
}

describe("names", () => {
  it.each(["solve-issue", "a", "a1", "x2-y3-z"])("accepts the workflow name %s", (name) => {
    expect(checkWorkflow(named(name))).toEqual([]);
  });

  it.each(["", "Solve", "solve_issue", "-a", "a-", "a--b", "1a", "a b", "sölve", "../x", "a\n"])(
    "refuses the workflow name %j",
    (name) => {
      expect(checkWorkflow(named(name))).toMatchObject([{ severity: "error", path: "/name" }]);
    },
  );

  it.each(["developer", "QA", "a_b-C3", "constructor", "x".repeat(64)])(
    "accepts the role name %s",
    (role) => {
      expect(checkWorkflow(withRole(role))).toEqual([]);
    },
  );

  it.each(["", "1a", "_a", "a b", "a.b", "a/b", "x".repeat(65), "$x"])("refuses the role name %j", (role) => {
    const path = `/roles/${role.replaceAll("/", "~1")}`;
    expect(checkWorkflow(withRole(role))).toMatchObject([{ severity: "error", path }]);
  });
});
