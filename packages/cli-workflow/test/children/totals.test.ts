import { join } from "node:path";
import type { ThreadLimitOutput, ThreadStepsOutput, ThreadUsageOutput } from "@uncaged/workflow-protocol";
import { describe, expect, it } from "vitest";
import { mockWith } from "../sessions/support.js";
import { HAS_TERMINALS, onTerminal } from "../support/terminal.js";
import { type Sandbox, sandbox } from "../support/uwf.js";
import { parentYaml, WORK } from "./support.js";

const COSTS = { inputTokens: 1, outputTokens: 1, costUsd: 0.4 };

/** What the agent of every role does from now on, at 0.4 USD a run. */
function configure(box: Sandbox, what: object): void {
  const scenario = mockWith(box, { worker: [{ ...what, usage: COSTS }] });
  const [command, ...args] = scenario.replaceAll("'", "").split(" ");
  const agents = { it: { command, args } };
  box.write(join(box.root, "config.yaml"), JSON.stringify({ agents, defaultAgent: "it" }));
}

const WORKS = { reply: "---\nnote: done\n---\n" };

/** A thread whose one role is played by a child, of which a run has failed. */
async function startFamily(box: Sandbox, ...words: readonly string[]): Promise<string> {
  await box.json(["workflow", "put", box.write("work.yaml", WORK)]);
  await box.json(["workflow", "put", box.write("parent.yaml", parentYaml())]);
  configure(box, { exitCode: 3 });
  return (await box.json(["thread", "start", "parent", "-p", "x", ...words])).thread;
}

const run = (box: Sandbox, thread: string) =>
  onTerminal(box, ["thread", "run", thread], { columns: 100, env: {} });

describe.skipIf(!HAS_TERMINALS)("what a thread has cost", () => {
  it("is with its children and failed runs wherever it is shown", async () => {
    const box = sandbox();
    const thread = await startFamily(box);
    expect((await run(box, thread)).code).toBe(6);
    configure(box, WORKS);
    const ran = await run(box, thread);
    // Of this command.
    expect(ran.stdout).toMatch(/ended.*: .*1 step, .*, \$0\.40/);
    const usage = await box.json<ThreadUsageOutput>(["thread", "usage", thread]);
    expect(usage.total.costUsd).toBe(0.8);
    expect((await box.json<ThreadLimitOutput>(["thread", "limit", thread])).spent.costUsd).toBe(0.8);
    const report = await box.uwf(["thread", "report", thread, "-o", "-"]);
    expect(report.stdout).toMatch(/<dt>Cost<\/dt><dd>\$0\.80/);
  });

  it("is said beside the limit that it has reached", async () => {
    const box = sandbox();
    const thread = await startFamily(box, "--max-cost", "0.7");
    await run(box, thread);
    await run(box, thread);
    configure(box, WORKS);
    const ran = await run(box, thread);
    expect(ran.stdout).toContain("$0.8 spent; the limit is $0.7");
    expect(ran.code).toBe(9);
  });
});

describe("the start of a thread", () => {
  it("is its own, though another thread with the same task has the same StartNode", async () => {
    const box = sandbox();
    await box.json(["workflow", "put", box.write("work.yaml", WORK)]);
    const start = async () => {
      const before = Date.now();
      const { thread } = await box.json(["thread", "start", "work", "-p", "x"]);
      return { thread, before };
    };
    await start();
    const { thread, before } = await start();
    const { steps } = await box.json<ThreadStepsOutput>(["thread", "steps", thread]);
    expect(steps[0]?.timestamp).toBeGreaterThanOrEqual(before);
    const read = await box.uwf(["thread", "read", thread]);
    expect(Date.parse(/- started: (\S+)/.exec(read.stdout)?.[1] ?? "")).toBeGreaterThanOrEqual(before);
    const document = await box.json<{ startedAt: number }>(["thread", "read", thread, "--format", "json"]);
    expect(document.startedAt).toBeGreaterThanOrEqual(before);
  });
});
