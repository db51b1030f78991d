import { describe, expect, it } from "vitest";
import { type GraphModel, graphOf } from "../../src/index.js";
import { workflow } from "../support/workflows.js";

const names = ({ nodes }: GraphModel) => nodes.map(({ name }) => name);

const edge = ({ edges }: GraphModel, from: string, to: string) =>
  edges.find((one) => one.from === from && one.to === to);

const REVIEW = workflow({
  $START: ["writer"],
  writer: ["reviewer"],
  reviewer: ["rejected -> writer", "$END"],
});

describe("the order of nodes", () => {
  it("follows the first transitions first, and has the ends last", () => {
    const model = graphOf(
      workflow({
        d: ["$FAIL"],
        b: ["d"],
        c: ["$END"],
        a: ["x -> b", "c"],
        $START: ["a"],
      }),
      null,
    );
    expect(names(model)).toEqual(["$START", "a", "b", "d", "c", "$END", "$FAIL"]);
  });

  it("does not depend on the order in which roles and entries are written", () => {
    const graph = { $START: ["a"], a: ["x -> b", "c"], b: ["a"], c: ["y -> b", "$END"] };
    const reversed = Object.fromEntries(Object.entries(graph).reverse());
    expect(graphOf(workflow(reversed), null)).toEqual(graphOf(workflow(graph), null));
  });

  it("puts roles that nothing leads to behind all others", () => {
    const model = graphOf(workflow({ $START: ["a"], lost: ["a"], a: ["$END"] }), null);
    expect(names(model)).toEqual(["$START", "a", "lost", "$END"]);
  });

  it("has no end that nothing leads to", () => {
    expect(names(graphOf(REVIEW, null))).not.toContain("$FAIL");
  });
});

describe("edges", () => {
  it("lead back to an earlier node or to the same one, and never to an end", () => {
    const model = graphOf(workflow({ $START: ["a"], a: ["again -> a", "b"], b: ["x -> a", "$END"] }), null);
    expect(model.edges.filter(({ back }) => back).map(({ from, to }) => [from, to])).toEqual([
      ["a", "a"],
      ["b", "a"],
    ]);
  });

  it("are one where several transitions of a node have the same target, with their conditions in order", () => {
    const model = graphOf(
      workflow({ $START: ["a"], a: ["x -> b", "y -> $END", "z -> b", "b"], b: ["$END"] }),
      null,
    );
    expect(edge(model, "a", "b")?.transitions.map(({ order, condition }) => [order, condition])).toEqual([
      [1, "x"],
      [3, "z"],
      [4, null],
    ]);
    expect(edge(model, "a", "b")?.transitions[0]).toMatchObject({
      description: "Whether x",
      expression: "true",
    });
  });

  it("name a condition that the workflow does not define", () => {
    const source = { ...REVIEW, conditions: {} };
    expect(edge(graphOf(source, null), "reviewer", "writer")?.transitions).toEqual([
      { order: 1, condition: "rejected", description: null, expression: null },
    ]);
  });
});

describe("roles", () => {
  it("say who plays them, if the workflow does", () => {
    const child = {
      name: "develop",
      each: null,
      jobs: 1,
      partial: false,
      output: null,
      prompt: "role",
    } as const;
    const roles = {
      writer: { description: "", agent: { human: { timeoutSeconds: null, default: null } } },
      reviewer: { description: "", agent: { workflow: child } },
      editor: { description: "", agent: { workflow: { ...child, each: "writer.parts" } } },
    };
    const { nodes } = graphOf({ ...REVIEW, roles }, null);
    expect(nodes.map(({ name, player }) => [name, player])).toEqual([
      ["$START", null],
      ["writer", "human"],
      ["reviewer", "workflow develop"],
      ["editor", "workflow develop for each of writer.parts"],
      ["$END", null],
    ]);
  });

  it("may be called like what every object has", () => {
    const model = graphOf(
      workflow({ $START: ["constructor"], constructor: ["toString -> valueOf", "$END"], valueOf: ["$END"] }),
      null,
    );
    expect(names(model)).toEqual(["$START", "constructor", "valueOf", "$END"]);
    expect(model.nodes.every(({ known }) => known)).toBe(true);
  });
});

describe("the path of a thread", () => {
  it("counts every step and every move, to the end included", () => {
    const roles = ["writer", "reviewer", "writer", "reviewer"];
    const model = graphOf(REVIEW, { roles, end: "$END", at: null });
    expect(model.nodes.map(({ name, visits }) => [name, visits])).toEqual([
      ["$START", 1],
      ["writer", 2],
      ["reviewer", 2],
      ["$END", 1],
    ]);
    expect(model.edges.map(({ from, to, taken }) => [from, to, taken])).toEqual([
      ["$START", "writer", 1],
      ["writer", "reviewer", 2],
      ["reviewer", "writer", 1],
      ["reviewer", "$END", 1],
    ]);
  });

  it("counts nothing without a thread", () => {
    const model = graphOf(REVIEW, null);
    expect(model.nodes.every(({ visits }) => visits === null)).toBe(true);
    expect(model.edges.every(({ taken }) => taken === null)).toBe(true);
  });

  it("has only the start before the first step", () => {
    const at = { node: "writer", state: "next" } as const;
    const model = graphOf(REVIEW, { roles: [], end: null, at });
    expect(model.nodes.map(({ visits }) => visits)).toEqual([1, 0, 0, 0]);
    expect(model.at).toEqual(at);
  });

  it("shows roles and moves that the workflow does not have", () => {
    const model = graphOf(REVIEW, { roles: ["writer", "ghost", "reviewer"], end: "$FAIL", at: null });
    expect(model.nodes.find(({ name }) => name === "ghost")).toMatchObject({ known: false, visits: 1 });
    expect(edge(model, "writer", "ghost")).toMatchObject({ transitions: [], taken: 1 });
    expect(edge(model, "reviewer", "$FAIL")).toMatchObject({ transitions: [], taken: 1, back: false });
  });
});
