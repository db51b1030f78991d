import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { loopWith } from "../support/stuck.js";
import { EXAMPLES, MOCK, type Sandbox, sandbox } from "../support/uwf.js";
import { startTurns, TURNS, zoo } from "../support/workflows.js";

const TURNS_TEXT = `● maker ◀──────╮
│              │
▼              │
● checker      │
├─ rejected ───╯
│ otherwise
▼
◉ $END
`;

const REVIEWER = "agent: human\n    description: checks";

/** What the thread's picture says of its nodes: `maker ×1`. */
const nodesOf = (text: string): readonly string[] =>
  text.split("\n").flatMap((line) => /^[●○◉⊗] (.*?)(?: ◀.*|\s*│.*|$)/.exec(line)?.[1] ?? []);

const step = (box: Sandbox, thread: string, behaviour: string, ...args: readonly string[]) =>
  box.json(["thread", "step", thread, "--agent", zoo(behaviour, ...args)]);

/** Solves the example issue as far as so many steps. */
async function solve(box: Sandbox, steps: number): Promise<string> {
  await box.json(["workflow", "put", join(EXAMPLES, "solve-issue.yaml")]);
  const { thread } = await box.json(["thread", "start", "solve-issue", "-p", "Fix it"]);
  const agent = `'${MOCK}' --scenario '${join(EXAMPLES, "solve-issue.scenario.yaml")}'`;
  for (let at = 0; at < steps; at += 1) await box.json(["thread", "step", thread, "--agent", agent]);
  return thread;
}

describe("workflow graph", () => {
  it("draws a file that is not stored, and stores nothing", async () => {
    const box = sandbox();
    const file = box.write("turns.yaml", TURNS);
    expect(await box.uwf(["workflow", "graph", file])).toMatchObject({
      code: 0,
      stdout: TURNS_TEXT,
      stderr: "",
    });
    expect(existsSync(box.root)).toBe(false);
  });

  it("draws a stored workflow in the same way, by name and by hash", async () => {
    const box = sandbox();
    const { hash } = await box.json(["workflow", "put", box.write("turns.yaml", TURNS)]);
    for (const name of ["turns", hash])
      expect((await box.uwf(["workflow", "graph", name])).stdout).toBe(TURNS_TEXT);
  });

  it("has the formats of other programs, and documents", async () => {
    const box = sandbox();
    const file = box.write("turns.yaml", TURNS);
    const draw = async (format: string) =>
      (await box.uwf(["workflow", "graph", file, "--format", format])).stdout;
    expect(await draw("text")).toBe(TURNS_TEXT);
    expect(await draw("mermaid")).toMatch(/^flowchart TD\n/);
    expect(await draw("dot")).toMatch(/^digraph "turns" \{\n/);
    expect(await draw("svg")).toMatch(/^<svg xmlns=/);
    expect(await draw("yaml")).toContain("name: turns\n");
    expect(JSON.parse(await draw("json"))).toMatchObject({
      workflow: expect.stringMatching(/^[0-9A-Z]{13}$/),
      thread: null,
      name: "turns",
      edges: [
        { from: "$START", to: "maker", back: false, taken: null },
        { from: "maker", to: "checker" },
        {
          from: "checker",
          to: "maker",
          back: true,
          transitions: [
            {
              order: 1,
              condition: "rejected",
              description: "sent back",
              expression: "steps[-1].output.approved = false",
            },
          ],
        },
        { from: "checker", to: "$END" },
      ],
      at: null,
    });
    expect((await box.uwf(["--format", "json", "workflow", "graph", file])).stdout).toBe(await draw("json"));
  });

  it("uses ASCII where the locale has nothing else, and colours if asked to", async () => {
    const box = sandbox();
    const args = ["workflow", "graph", box.write("turns.yaml", TURNS)];
    for (const env of [
      { LC_ALL: "C" },
      { LANG: "POSIX" },
      { LC_ALL: "", LC_CTYPE: "de_DE", LANG: "C.UTF-8" },
    ]) {
      // biome-ignore lint/suspicious/noControlCharactersInRegex: ASCII begins with them
      expect((await box.uwf(args, { env })).stdout).toMatch(/^[\x00-\x7f]*$/);
    }
    expect((await box.uwf(args, { env: { LANG: "de_DE.UTF-8" } })).stdout).toBe(TURNS_TEXT);
    expect((await box.uwf([...args, "--color", "always"])).stdout).toContain("\u001b[1m● maker\u001b[22m");
  });

  it("writes to a file whose ending says the format, and replaces none without --force", async () => {
    const box = sandbox();
    const file = box.write("turns.yaml", TURNS);
    for (const [name, start] of [
      ["g.svg", "<svg"],
      ["g.mmd", "flowchart"],
      ["g.gv", "digraph"],
      ["g.json", "{"],
      ["g.txt", "● maker"],
    ] as const) {
      const written = await box.json<{ file: string; size: number }>([
        "workflow",
        "graph",
        file,
        "-o",
        name,
        "--color",
        "always",
      ]);
      expect(written).toEqual({ file: join(box.cwd, name), size: statSync(join(box.cwd, name)).size });
      expect(readFileSync(written.file, "utf8").startsWith(start)).toBe(true);
    }
    const again = ["workflow", "graph", file, "-o", "g.txt", "--format", "dot"];
    expect(await box.uwf(again)).toMatchObject({ code: 4, stdout: "" });
    expect(readFileSync(join(box.cwd, "g.txt"), "utf8")).toBe(TURNS_TEXT);
    await box.json([...again, "--force"]);
    expect(readFileSync(join(box.cwd, "g.txt"), "utf8")).toMatch(/^digraph/);
  });

  it("refuses what it cannot draw", async () => {
    const box = sandbox();
    expect(await box.uwf(["workflow", "graph"])).toMatchObject({ code: 2, stdout: "" });
    expect(await box.uwf(["workflow", "graph", "nothing"])).toMatchObject({ code: 3, stdout: "" });
    expect(await box.uwf(["workflow", "graph", "x", "--format", "png"])).toMatchObject({ code: 2 });
    expect(await box.uwf(["workflow", "graph", box.write("bad.yaml", "name: bad\n")])).toMatchObject({
      code: 4,
    });
    expect(await box.uwf(["workflow", "graph", "--thread", "01KAJ5E8ZJ4N7XK3M9T2V6W8YB"])).toMatchObject({
      code: 3,
    });
  });

  it("is completed with its formats and with workflows", async () => {
    const box = sandbox();
    const thread = await startTurns(box);
    const complete = async (...words: readonly string[]) => (await box.uwf(["__complete", ...words])).stdout;
    expect(await complete("workflow", "graph", "t")).toBe("turns\n");
    expect(await complete("workflow", "graph", "--format", "m")).toBe("mermaid\n");
    expect(await complete("workflow", "graph", "--thread", "")).toContain(`${thread}\n`);
  });
});

describe("workflow graph --thread", () => {
  it("counts the steps of a thread that has ended", async () => {
    const box = sandbox();
    const thread = await solve(box, 5);
    const { stdout } = await box.uwf(["workflow", "graph", "--thread", thread]);
    expect(stdout).toBe(`● planner ×1
│ ×1
▼
● developer ×2 ◀─────╮
│ ×2                 │
▼                    │
● reviewer ×2        │
├─ notApproved ×1 ───╯
│ otherwise ×1
▼
◉ $END ×1
`);
    expect((await box.uwf(["workflow", "graph", "solve-issue", "--thread", thread])).stdout).toBe(stdout);
  });

  it("marks the role that the next step runs, and writes nothing", async () => {
    const box = sandbox();
    const thread = await solve(box, 1);
    const before = box.snapshot();
    const { stdout } = await box.uwf(["workflow", "graph", "--thread", thread]);
    expect(nodesOf(stdout)).toEqual(["planner ×1", "developer [next]", "reviewer", "$END"]);
    const document = await box.json(["workflow", "graph", "--thread", thread, "--format", "json"]);
    expect(document).toMatchObject({ thread, at: { node: "developer", state: "next" } });
    expect(box.snapshot()).toEqual(before);
  });

  it("marks a person who is waited for", async () => {
    const box = sandbox();
    await box.json([
      "workflow",
      "put",
      box.write("turns.yaml", TURNS.replace("description: checks", REVIEWER)),
    ]);
    const { thread } = await box.json(["thread", "start", "turns", "-p", "x"]);
    await step(box, thread, "valid");
    expect((await box.uwf(["thread", "step", thread])).code).toBe(9);
    const { stdout } = await box.uwf(["workflow", "graph", "--thread", thread]);
    expect(nodesOf(stdout)).toEqual(["maker ×1", "checker (human) [waiting]", "$END"]);
  });

  it("marks where a thread was killed", async () => {
    const box = sandbox();
    const thread = await solve(box, 2);
    await box.json(["thread", "kill", thread]);
    const { stdout } = await box.uwf(["workflow", "graph", "--thread", thread]);
    expect(nodesOf(stdout)).toEqual(["planner ×1", "developer ×1 [killed]", "reviewer", "$END"]);
  });

  it("marks where a thread is stuck", async () => {
    const box = sandbox();
    const conditions = { isGood: "steps[-1].output.approved = true" };
    const loop = loopWith({ conditions, leads: ["{ role: $END, condition: isGood }"] });
    await box.uwf(["workflow", "put", box.write("loop.yaml", loop)]);
    const { thread } = await box.json(["thread", "start", "loop", "-p", "x"]);
    await step(box, thread, "valid");
    const last = ["thread", "step", thread, "--agent", zoo("rejecting")];
    expect((await box.uwf(last)).code).toBe(5);
    const { stdout } = await box.uwf(["workflow", "graph", "--thread", thread]);
    expect(nodesOf(stdout)).toEqual(["maker ×1", "checker ×1 [stuck]", "$END"]);
  });

  it("warns where the thread runs another workflow than the one that is drawn", async () => {
    const box = sandbox();
    const thread = await solve(box, 2);
    const file = box.write("turns.yaml", TURNS);
    const drawn = await box.uwf(["workflow", "graph", file, "--thread", thread]);
    expect(drawn.code).toBe(0);
    expect(drawn.stderr).toMatch(
      /^warning: the thread runs workflow \w{13} \(solve-issue\), not \w{13}; `uwf workflow graph --thread \w+` draws its own\n$/,
    );
    expect(nodesOf(drawn.stdout)).toContain("planner ×1 (not in this workflow)");
  });
});
