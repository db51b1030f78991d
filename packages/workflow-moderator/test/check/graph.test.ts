import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { checkWorkflow } from "../../src/check/index.js";
import { authored, type Graph, META, to } from "../support/index.js";

const ROLES = { developer: META, reviewer: META };
const WHOLE: Graph = {
  $START: to(["developer", null]),
  developer: to(["reviewer", null]),
  reviewer: to(["developer", "rejected"], ["$END", null]),
};
const CONDITIONS = { rejected: "steps[-1].output.approved = false" };

function problems(graph: Graph, conditions: Readonly<Record<string, string>> = CONDITIONS) {
  return checkWorkflow(authored(ROLES, conditions, graph));
}

function without(key: string): Graph {
  return Object.fromEntries(Object.entries(WHOLE).filter(([name]) => name !== key));
}

describe("the graph", () => {
  it("has no problem if it is complete", () => {
    expect(problems(WHOLE)).toEqual([]);
  });

  it("refuses an entry for an unknown role, with a did-you-mean", () => {
    expect(problems({ ...WHOLE, revewer: to(["$END", null]) })).toMatchObject([
      { severity: "error", path: "/graph/revewer", suggestion: "reviewer" },
    ]);
  });

  it("refuses transitions to unknown roles and conditions, with a did-you-mean", () => {
    expect(problems({ ...WHOLE, reviewer: to(["developr", "rejectd"], ["$END", null]) })).toMatchObject([
      { severity: "error", path: "/graph/reviewer/0/role", suggestion: "developer" },
      { severity: "error", path: "/graph/reviewer/0/condition", suggestion: "rejected" },
    ]);
  });

  it("refuses $START as a target, and names like constructor that only a prototype has", () => {
    const errors = problems({
      ...WHOLE,
      reviewer: to(["$START", "rejected"], ["constructor", "toString"], ["$END", null]),
    });
    expect(errors.map(({ path }) => path)).toEqual([
      "/graph/reviewer/0/role",
      "/graph/reviewer/1/role",
      "/graph/reviewer/1/condition",
    ]);
  });

  it("refuses a role without a graph entry", () => {
    expect(problems(without("developer"))).toContainEqual(
      expect.objectContaining({ severity: "error", path: "/roles/developer" }),
    );
  });

  it("refuses a graph without $START", () => {
    expect(problems(without("$START"))).toMatchObject([{ severity: "error", path: "/graph" }]);
  });

  it("refuses an entry for $END", () => {
    expect(problems({ ...WHOLE, $END: to(["developer", null]) })).toMatchObject([
      { severity: "error", path: "/graph/$END" },
    ]);
  });

  it("refuses an empty list of transitions", () => {
    expect(problems({ ...WHOLE, developer: [] })).toContainEqual(
      expect.objectContaining({ severity: "error", path: "/graph/developer" }),
    );
  });

  it("warns when no fallback transition stands last", () => {
    expect(problems({ ...WHOLE, reviewer: to(["$END", "rejected"]) })).toMatchObject([
      { severity: "warning", path: "/graph/reviewer/0", message: expect.stringContaining("fallback") },
    ]);
  });

  it("warns about the transitions after a fallback, once", () => {
    expect(
      problems({ ...WHOLE, reviewer: to(["$END", null], ["developer", "rejected"], ["$END", null]) }),
    ).toMatchObject([
      { severity: "warning", path: "/graph/reviewer/1", also: [{ path: "/graph/reviewer/2", offset: null }] },
    ]);
  });

  it("warns about an unused condition", () => {
    expect(problems(WHOLE, { ...CONDITIONS, idle: "$count(steps) > 3" })).toMatchObject([
      { severity: "warning", path: "/conditions/idle" },
    ]);
  });

  it("warns about a role unreachable from $START", () => {
    expect(
      problems({ ...WHOLE, $START: to(["reviewer", null]), reviewer: to(["$END", null]) }, {}),
    ).toMatchObject([{ severity: "warning", path: "/roles/developer" }]);
  });

  it("refuses a graph without a path from $START to $END, with one error", () => {
    expect(problems({ ...WHOLE, reviewer: to(["developer", null]) }, {})).toMatchObject([
      {
        severity: "error",
        code: "no-end",
        path: "/graph/$START",
        message: expect.stringContaining("$END"),
      },
    ]);
  });

  it("warns about roles without a path to $END, if others have one", () => {
    const graph = {
      $START: to(["developer", "ok"], ["reviewer", null]),
      developer: to(["developer", null]),
      reviewer: to(["$END", null]),
    };
    expect(problems(graph, { ok: "$contains(start.prompt, 'x')" })).toMatchObject([
      { severity: "warning", path: "/graph/developer" },
    ]);
  });

  it("reports all problems at once", () => {
    const graph = { $START: to(["x", "y"]), developer: [], $END: to() };
    expect(problems(graph).filter(({ severity }) => severity === "error").length).toBeGreaterThanOrEqual(5);
  });
});

describe("reachability", () => {
  const names = ["a", "b", "c", "d", "e"];
  const target = fc.constantFrom(...names, "$END");
  const transitions = fc.array(fc.record({ role: target, condition: fc.constantFrom("c", null) }), {
    minLength: 1,
    maxLength: 4,
  });
  const graphs = fc.record(Object.fromEntries(["$START", ...names].map((key) => [key, transitions])));

  it("agrees with an exhaustive search, in any graph", () => {
    fc.assert(
      fc.property(graphs, (graph) => {
        const roles = Object.fromEntries(names.map((name) => [name, META]));
        const found = checkWorkflow(authored(roles, { c: "true" }, graph));
        const reached = walked(graph, "$START");
        const named = walked(graph, "$START", true);
        const unreachable = names.filter((name) => !named.has(name)).map((name) => `/roles/${name}`);
        expect(found.map(({ path }) => path).filter((path) => path.startsWith("/roles/"))).toEqual(
          unreachable,
        );
        const endless = [...reached].filter((key) => key !== "$END" && !walked(graph, key).has("$END"));
        const told = found
          .filter(({ message }) => message.startsWith("no path"))
          .map(({ path }) => path.slice("/graph/".length));
        expect(told.sort()).toEqual(endless.includes("$START") ? ["$START"] : endless.sort());
      }),
      { numRuns: 300 },
    );
  });

  /** Brute force: as many rounds as there are nodes. `past`: also over transitions after a fallback. */
  function walked(graph: Graph, from: string, past = false): ReadonlySet<string> {
    const reached = new Set([from]);
    for (let round = 0; round < 8; round += 1) {
      for (const key of [...reached]) {
        for (const { role, condition } of graph[key] ?? []) {
          reached.add(role);
          if (condition === null && !past) break;
        }
      }
    }
    return reached;
  }
});

describe("a graph of many roles", () => {
  /** How often the names of all roles are listed: each time costs as much as there are roles. */
  function listings(size: number): number {
    const name = (at: number): string => (at < size ? `r${at}` : "$END");
    const names = Array.from({ length: size }, (_, at) => name(at));
    const next = names.map((each, at) => [each, to([name(at + 1), "a"], [name(at + 1), "b"])] as const);
    const graph = { $START: to(["r0", null]), ...Object.fromEntries(next) };
    const conditions = { a: "steps[-1].output.approved", b: "steps[-1].output.approved = false" };
    const workflow = authored(Object.fromEntries(names.map((each) => [each, META])), conditions, graph);
    let count = 0;
    const roles = new Proxy(workflow.roles, {
      ownKeys: (target) => {
        count += 1;
        return Reflect.ownKeys(target);
      },
    });
    checkWorkflow({ ...workflow, roles });
    return count;
  }

  it("is checked without a look at all roles for each of them", () => {
    expect(listings(60)).toBe(listings(30));
  });
});
