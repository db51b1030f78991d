import { describe, expect, it } from "vitest";
import { checkWorkflow } from "../../src/check/index.js";
import { authored, type Graph, META, to } from "../support/index.js";

const ROLES = { developer: META, reviewer: META };
const GRAPH: Graph = {
  $START: to(["developer", null]),
  developer: to(["reviewer", null]),
  reviewer: to(["developer", "rejected"], ["$END", null]),
};

function found(graph: Graph, expression = "steps[-1].output.approved = false") {
  return checkWorkflow(authored(ROLES, { rejected: expression }, { ...GRAPH, ...graph })).map(
    ({ code, path, suggestion }) => [code, path, suggestion],
  );
}

function renamed(from: string, to: string): Graph {
  return Object.fromEntries(Object.entries(GRAPH).map(([key, value]) => [key === from ? to : key, value]));
}

describe("one cause gives one problem", () => {
  it("a misspelt target, not the role that it makes unreachable", () => {
    expect(found({ developer: to(["reviwer", null]) })).toEqual([
      ["unknown-role", "/graph/developer/0/role", "reviewer"],
    ]);
    expect(found({ $START: to(["somebody", null]) })).toEqual([
      ["unknown-role", "/graph/$START/0/role", null],
    ]);
  });

  it("a misspelt $END, not that no thread ends", () => {
    expect(found({ reviewer: to(["developer", "rejected"], ["$EDN", null]) })).toEqual([
      ["unknown-role", "/graph/reviewer/1/role", "$END"],
    ]);
  });

  it("a misspelt key of the graph, not its role without an entry", () => {
    const graph = renamed("reviewer", "reviewr");
    expect(
      checkWorkflow(authored(ROLES, { rejected: "steps[-1].output.approved = false" }, graph)),
    ).toMatchObject([{ code: "unknown-role", path: "/graph/reviewr", suggestion: "reviewer" }]);
  });

  it("a role without an entry, not that no thread ends", () => {
    const { reviewer: _, ...graph } = GRAPH;
    expect(checkWorkflow(authored(ROLES, {}, graph))).toMatchObject([
      { code: "missing-entry", path: "/roles/reviewer" },
    ]);
  });

  it("a misspelt condition, not the unused one", () => {
    expect(found({ reviewer: to(["developer", "rejectd"], ["$END", null]) })).toEqual([
      ["unknown-condition", "/graph/reviewer/0/condition", "rejected"],
    ]);
  });

  it("a misspelt field, not that the condition is never true", () => {
    expect(found({}, "steps[-1].output.approvd = false and steps[-1].output.approvd != true")).toEqual([
      ["unknown-field", "/conditions/rejected/expression", "approved"],
    ]);
  });

  it("$FAIL is an end too", () => {
    const problems = found({ reviewer: to(["$FAIL", null]) }).filter(([code]) => code === "no-end");
    expect(problems).toEqual([]);
  });
});
