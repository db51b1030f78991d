import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { EXAMPLES, type Sandbox, sandbox } from "../support/uwf.js";
import { startTurns, TURNS } from "../support/workflows.js";
import { judged, keeps, mockWith } from "./support.js";

/** What the agent with sessions in a folder has been asked in one of them, oldest first. */
function askedIn(folder: string, sessionId: string): readonly string[] {
  return readFileSync(join(folder, `${sessionId}.session`), "utf8")
    .split("\n=====\n")
    .slice(0, -1);
}

function place(): { readonly box: Sandbox; readonly folder: string } {
  const box = sandbox();
  const folder = join(box.cwd, "sessions");
  mkdirSync(folder);
  return { box, folder };
}

const next = ["thread", "next"];

describe("thread next --prompt", () => {
  it("prints what the agent is asked then, to the byte: at first, with notes, and in its session", async () => {
    const { box, folder } = place();
    const thread = await startTurns(box, "Do <it>");
    const agents = ["--agent", `maker=${keeps(folder, "works")}`, "--agent"];
    agents.push(`checker=${mockWith(box, { checker: [{ reply: judged(false) }] })}`);
    const prompt = async (...options: readonly string[]) =>
      (await box.uwf([...next, thread, "--prompt", ...agents, ...options])).stdout;
    const step = () => box.json(["thread", "step", thread, ...agents]);
    const first = await prompt();
    await step();
    expect(askedIn(folder, "s-1")).toEqual([first]);
    expect(first).toContain("Do <it>");
    expect(await prompt()).toContain("You act as checker");
    await step();
    await box.json(["thread", "note", thread, "mind the gap"]);
    const resumed = await prompt();
    const fresh = await prompt("--fresh");
    await step();
    expect(askedIn(folder, "s-1")).toEqual([first, resumed]);
    expect(resumed).toContain("# What happened since your last step");
    expect(resumed).toContain("mind the gap");
    expect(fresh).toContain("# What happened so far");
    expect(fresh).toContain("mind the gap");
  });

  it("lists optional fields in the order of the YAML that was put, as `uwf prompt` does", async () => {
    const box = sandbox();
    const role = "description: r, goal: r, capabilities: [], procedure: r, output: r";
    const fields =
      "reasoning: { type: string }, approved: { type: boolean }, zeta: { type: string }, a: { type: string }";
    const file = box.write(
      "gate.yaml",
      `name: gate\ndescription: d\nroles:\n  reviewer: { ${role}, meta: { type: object, properties: { ${fields} }, required: [zeta] } }\nconditions: {}\ngraph:\n  $START: [{ role: reviewer, condition: null }]\n  reviewer: [{ role: $END, condition: null }]\n`,
    );
    const order = (prompt: string) => [...prompt.matchAll(/^- `(\w+)`/gm)].map(([, name]) => name);
    const stored = order((await box.uwf(["prompt", file, "reviewer", "-p", "x"])).stdout);
    expect(stored).toEqual(["zeta", "a", "approved", "reasoning"]);
    await box.json(["workflow", "put", file]);
    const { stdout } = await box.uwf(["prompt", "gate", "reviewer", "-p", "x"]);
    expect(order(stdout)).toEqual(["zeta", "reasoning", "approved", "a"]);
    const { thread } = await box.json<{ thread: string }>(["thread", "start", "gate", "-p", "x"]);
    const asked = (await box.uwf([...next, thread, "--prompt"])).stdout;
    expect(order(asked)).toEqual(["zeta", "reasoning", "approved", "a"]);
  });

  it("knows the failed run before, and its session", async () => {
    const { box, folder } = place();
    const thread = await startTurns(box);
    const agent = ["--agent", keeps(folder, "fails")];
    expect((await box.uwf(["thread", "step", thread, ...agent])).code).toBe(6);
    const told = await box.uwf([...next, thread, "--prompt", ...agent]);
    expect(told.stderr).toContain("session s-1");
    await box.json(["thread", "step", thread, ...agent]);
    expect(askedIn(folder, "s-1").at(-1)).toBe(told.stdout);
    expect(told.stdout).toContain("# Your earlier attempt");
  });

  it("is the prompt of uwf-agent-prompt, without a session and without an agent", async () => {
    const box = sandbox();
    const thread = await startTurns(box);
    const document = await box.json([...next, thread, "--prompt", "--format", "json"]);
    expect(document).toEqual({
      thread,
      role: "maker",
      agent: null,
      sessionId: null,
      prompt: expect.stringContaining("# Task"),
    });
    const before = box.snapshot();
    const { stdout } = await box.uwf([...next, thread, "--prompt"]);
    expect(stdout).toBe((document as unknown as { readonly prompt: string }).prompt);
    expect(box.snapshot()).toEqual(before);
  });

  it("says why no agent gets a prompt: a person, an end, an ended thread", async () => {
    const box = sandbox();
    const human = TURNS.replace("  maker:\n    description", "  maker:\n    agent: human\n    description");
    await box.json(["workflow", "put", box.write("turns.yaml", human)]);
    const { thread } = await box.json(["thread", "start", "turns", "-p", "x"]);
    const asked = await box.uwf([...next, thread, "--prompt"]);
    expect(asked).toMatchObject({ code: 4, stdout: "" });
    expect(asked.stderr).toContain(`uwf thread answer ${thread} --show`);
    await box.json(["thread", "kill", thread]);
    expect((await box.uwf([...next, thread, "--prompt"])).code).toBe(8);
    const over =
      "name: over\ndescription: d\nroles: {}\nconditions: {}\ngraph:\n  $START: [{ role: $END, condition: null }]\n";
    await box.json(["workflow", "put", box.write("over.yaml", over)]);
    const { thread: ending } = await box.json(["thread", "start", "over", "-p", "x"]);
    expect((await box.uwf([...next, ending, "--prompt"])).stderr).toContain("runs no agent");
  });

  it("prints the task of a child thread", async () => {
    const box = sandbox();
    await box.json(["workflow", "put", box.write("turns.yaml", TURNS)]);
    const parent = TURNS.replace("name: turns", "name: parent").replace(
      "  maker:\n    description",
      "  maker:\n    agent: { workflow: turns }\n    description",
    );
    await box.json(["workflow", "put", box.write("parent.yaml", parent)]);
    const { thread } = await box.json(["thread", "start", "parent", "-p", "Paint it"]);
    const { stdout } = await box.uwf([...next, thread, "--prompt"]);
    expect(stdout).toBe(
      "# Goal\n\nMake it\n\n# Procedure\n\nMake the text.\n\n# Output\n\nThe text.\n\n# This is part of the task\n\nPaint it\n",
    );
  });

  it("takes its own options only with it", async () => {
    const box = sandbox();
    const thread = await startTurns(box);
    expect((await box.uwf([...next, thread, "--fresh"])).code).toBe(2);
  });
});

describe("prompt", () => {
  it.each(["solve-issue", "develop", "analyze-topic"])(
    "prints what the first role of a new thread is asked, to the byte: %s",
    async (name) => {
      const box = sandbox();
      const file = join(EXAMPLES, `${name}.yaml`);
      await box.json(["workflow", "put", file]);
      const { thread } = await box.json(["thread", "start", name, "-p", "Paint it"]);
      const { stdout: asked } = await box.uwf([...next, thread, "--prompt"]);
      const { role } = await box.json<{ readonly role: string }>([
        ...next,
        thread,
        "--prompt",
        "--format",
        "json",
      ]);
      for (const workflow of [name, file]) {
        const { stdout } = await box.uwf(["prompt", workflow, role, "-p", "Paint it"]);
        expect(stdout).toBe(asked);
      }
    },
  );

  it("needs no storage root for a file, no thread, and stores nothing", async () => {
    const box = sandbox();
    const document = await box.json([
      "prompt",
      box.write("turns.yaml", TURNS),
      "checker",
      "--format",
      "json",
    ]);
    expect(document).toMatchObject({
      role: "checker",
      prompt: expect.stringContaining("You act as checker"),
    });
    expect(box.snapshot()).toEqual({});
  });

  it("refuses a role that the workflow does not have, with a did-you-mean", async () => {
    const box = sandbox();
    const ran = await box.uwf(["prompt", box.write("turns.yaml", TURNS), "cheker"]);
    expect(ran).toMatchObject({ code: 4, stdout: "" });
    expect(ran.stderr).toContain('did you mean "checker"?');
  });
});
