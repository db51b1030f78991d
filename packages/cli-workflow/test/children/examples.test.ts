import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type Doc, EXAMPLES, MOCK, type Sandbox, sandbox } from "../support/uwf.js";

type Tree = { readonly workflow: string; readonly state: string; readonly children: readonly Tree[] };

/** The workflows put, the scenario's mock as everybody's agent, and a thread of the last of them. */
async function begin(box: Sandbox, workflows: readonly string[]): Promise<string> {
  const name = workflows.at(-1) ?? "";
  const files = workflows.map((each) => join(EXAMPLES, `${each}.yaml`));
  const scenario = join(EXAMPLES, `${name}.scenario.yaml`);
  const agents = { mock: { command: MOCK, args: ["--scenario", scenario] } };
  box.write(join(box.root, "config.yaml"), JSON.stringify({ agents, defaultAgent: "mock" }));
  const put = await box.uwf(["workflow", "put", "--strict", ...files]);
  expect([put.code, put.stderr]).toEqual([0, ""]);
  return (await box.json(["thread", "start", name, "-p", "The task"])).thread;
}

/** The steps, by these roles in this order. */
async function expectRoles(box: Sandbox, thread: string, roles: string): Promise<Doc["steps"]> {
  const { steps } = await box.json(["thread", "steps", thread]);
  expect(
    steps
      .slice(1)
      .map(({ role }) => role)
      .join(" "),
  ).toBe(roles);
  return steps;
}

describe("examples/", () => {
  it("review-each: a child for each part, results in their order", async () => {
    const box = sandbox();
    const thread = await begin(box, ["review-one", "review-each"]);
    expect((await box.uwf(["thread", "run", thread])).code).toBe(0);
    const steps = await expectRoles(box, thread, "splitter reviewers editor");
    const finding = { part: expect.any(String), findings: [expect.any(String)] };
    expect(steps[2]?.output).toEqual({ results: [finding, finding, finding], failed: 0 });
    const words = ["thread", "list", "--tree", "--all", "--format", "json"];
    const trees = await box.json<readonly Tree[]>(words);
    expect(trees).toMatchObject([{ workflow: "review-each", state: "ended" }]);
    expect(trees[0]?.children.map(({ workflow }) => workflow)).toEqual(Array(3).fill("review-one"));
  });

  it("ship-issue: develop as the developer, then a person", async () => {
    const box = sandbox();
    const thread = await begin(box, ["develop", "ship-issue"]);
    expect((await box.uwf(["thread", "run", thread])).code).toBe(9);
    await box.json(["thread", "answer", thread, "--field", "approved=true", "--field", "comments=ship it"]);
    expect((await box.uwf(["thread", "run", thread])).code).toBe(0);
    const steps = await expectRoles(box, thread, "planner developer approver shipper");
    expect(steps[2]?.output).toMatchObject({ ok: true, reason: "end", status: "committed" });
  });

  it("supervised: the router's choice, and a look at every third piece of work", async () => {
    const box = sandbox();
    const thread = await begin(box, ["supervised"]);
    expect((await box.uwf(["thread", "run", thread])).code).toBe(0);
    await expectRoles(
      box,
      thread,
      "router researcher router researcher router writer supervisor router summariser",
    );
  });
});
