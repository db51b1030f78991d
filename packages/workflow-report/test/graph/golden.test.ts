import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type GraphModel, graphDot, graphMermaid, graphOf, graphSvg, graphText } from "../../src/index.js";
import { plain } from "../support/paint.js";
import { chain, EXAMPLES, example, workflow } from "../support/workflows.js";

// Golden files: pictures that were looked at. `npx vitest run packages/workflow-report -u` writes them again; look at the
// difference before you commit it.

const FILES = join(import.meta.dirname, "fixtures");

const FORMATS: Readonly<Record<string, (model: GraphModel) => string>> = {
  txt: (model) => graphText(model, { width: 80, unicode: true, paint: plain }),
  "ascii.txt": (model) => graphText(model, { width: 80, unicode: false, paint: plain }),
  mmd: graphMermaid,
  dot: graphDot,
  svg: (model) => graphSvg(model, { id: "g", style: true }),
};

async function isAsBefore(name: string, model: GraphModel): Promise<void> {
  for (const [ending, draw] of Object.entries(FORMATS))
    await expect(draw(model)).toMatchFileSnapshot(join(FILES, `${name}.${ending}`));
}

describe("the pictures of examples/", () => {
  it.each(EXAMPLES)("%s", async (name) => {
    await isAsBefore(name, graphOf(await example(name), null));
  });
});

describe("the pictures of other graphs", () => {
  const roles = ["a", "b", "c", "d"];

  it("a loop of a role to itself", async () => {
    const source = workflow({ $START: ["worker"], worker: ["more -> worker", "$END"] });
    await isAsBefore("self-loop", graphOf(source, null));
  });

  it("an edge to $END from each role", async () => {
    const ways = roles.map((role, at) => [role, [`done${role} -> $END`, roles[at + 1] ?? "$FAIL"]]);
    const source = workflow({ $START: ["a"], ...Object.fromEntries(ways) });
    await isAsBefore("ends", graphOf(source, null));
  });

  it("several starts", async () => {
    const source = workflow({ $START: ["isBug -> a", "b"], a: ["$END"], b: ["$END"] });
    await isAsBefore("starts", graphOf(source, null));
  });

  it("60 roles", async () => {
    await isAsBefore("sixty", graphOf(chain(60, 1), null));
  });

  it("more than 200 edges: a list", async () => {
    const model = graphOf(chain(60, 4), null);
    expect(model.edges.length).toBeGreaterThan(200);
    await isAsBefore("list", model);
  });
});

describe("the pictures of threads", () => {
  it("one that has ended", async () => {
    const steps = ["planner", "developer", "reviewer", "developer", "reviewer"];
    await isAsBefore("ended", graphOf(await example("solve-issue"), { roles: steps, end: "$END", at: null }));
  });

  it("one that waits for a person", async () => {
    const at = { node: "approver", state: "waiting" } as const;
    const path = { roles: ["planner", "developer"], end: null, at };
    await isAsBefore("waiting", graphOf(await example("ship-issue"), path));
  });

  it("one with steps of another version of the workflow", async () => {
    const at = { node: "tester", state: "stuck" } as const;
    const path = { roles: ["planner", "architect", "coder", "coder", "tester"], end: null, at };
    await isAsBefore("strays", graphOf(await example("develop"), path));
  });
});
