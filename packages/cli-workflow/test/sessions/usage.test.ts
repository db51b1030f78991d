import { existsSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import type { ThreadUsageOutput } from "@uncaged/workflow-protocol";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import {
  ended,
  nodeFile,
  RUNTIMES,
  reap,
  type Sandbox,
  SCRIPT_RUNNER,
  sandbox,
  until,
} from "../support/uwf.js";
import { startTurns, zoo } from "../support/workflows.js";
import { traced } from "./support.js";

const step = (box: Sandbox, thread: string, agent: string) =>
  box.uwf(["thread", "step", thread, "--agent", agent]);

const usageOf = (box: Sandbox, thread: string) => box.json<ThreadUsageOutput>(["thread", "usage", thread]);

const USED = { inputTokens: 100, outputTokens: 20, totalTokens: 120, costUsd: 0.1 };
const LOST = { inputTokens: 50, outputTokens: 20, totalTokens: 70, costUsd: 0.2 };

describe("thread usage", () => {
  it.each(RUNTIMES)(
    "tells tokens and cost of every step and failed run, and in all (%s)",
    async (runtime) => {
      const box = sandbox(runtime);
      const thread = await startTurns(box);
      expect((await step(box, thread, traced("fails"))).code).toBe(6);
      await step(box, thread, traced("works"));
      const known = await usageOf(box, thread);
      expect(known).toMatchObject({
        thread,
        workflow: expect.any(String),
        steps: [
          {
            role: "maker",
            agent: expect.stringMatching(/traced\.mjs works$/),
            model: "fake-model",
            sessionId: "s-1",
            usage: USED,
            durationMs: expect.any(Number),
            inherited: false,
          },
        ],
        failed: [{ outcome: "failed", role: "maker", code: "AGENT_FAILED", sessionId: "s-0", usage: LOST }],
        total: {
          inputTokens: 150,
          outputTokens: 40,
          totalTokens: 190,
          costUsd: 0.3,
          unknown: { tokens: 0, cost: 0 },
        },
        failedTotal: { ...LOST, unknown: { tokens: 0, cost: 0 } },
        complete: true,
      });
      await step(box, thread, zoo("valid"));
      const partly = await usageOf(box, thread);
      expect(partly.steps[1]).toMatchObject({ role: "checker", model: null, sessionId: null, usage: null });
      expect(partly).toMatchObject({
        total: { inputTokens: 150, costUsd: 0.3, unknown: { tokens: 1, cost: 1 } },
        complete: false,
      });
      expect(parse((await box.uwf(["thread", "usage", thread, "--format", "yaml"])).stdout)).toEqual(partly);
    },
  );

  it("says of which step it does not know what was used: one whose detail is gone", async () => {
    const box = sandbox();
    const thread = await startTurns(box);
    await step(box, thread, traced("works"));
    const { steps } = await box.json(["thread", "steps", thread]);
    const { hash, detail } = steps.at(-1) ?? { hash: "", detail: "" };
    rmSync(nodeFile(box, detail));
    const ran = await box.uwf(["thread", "usage", thread]);
    expect(JSON.parse(ran.stdout)).toMatchObject({ complete: false, steps: [{ hash, usage: null }] });
    expect(ran.stderr).toContain(`what step ${hash} has used is not known: its detail ${detail}`);
  });

  it("is a table for a person", async () => {
    const box = sandbox();
    const thread = await startTurns(box);
    await step(box, thread, traced("fails"));
    await step(box, thread, traced("works"));
    await step(box, thread, zoo("valid"));
    const { stdout, code } = await box.uwf(["thread", "usage", thread, "--table"]);
    expect(code).toBe(0);
    const words = stdout
      .trimEnd()
      .split("\n")
      .map((line) => line.split(/ {2,}/));
    expect(words[0]).toEqual(["role", "agent", "model", "input", "output", "total", "cost", "step"]);
    expect(words[1]).toEqual(["maker", expect.any(String), "?", "50", "20", "70", "$0.2000", "failed"]);
    expect(words[2]).toEqual(
      ["maker", basename(SCRIPT_RUNNER), "fake-model", "100", "20", "120", "$0.1000"].concat([
        expect.any(String),
      ]),
    );
    expect(words[4]).toEqual(["total", "150", "40", "190", "$0.3000"]);
    expect(words.slice(5)).toEqual([
      ["the total leaves out the tokens and the cost of 1 run, which are unknown"],
    ]);
  });

  it("keeps what a reply cost of which no step came, and what agents had used that were killed", async () => {
    const box = sandbox();
    const thread = await startTurns(box);
    expect((await step(box, thread, traced("rambles"))).code).toBe(6);
    await step(box, thread, traced("dies"));
    const started = join(box.cwd, "started");
    const uwf = reap(box.start(["thread", "step", thread, "--agent", traced("waits", `'${started}'`)]));
    const over = ended(uwf);
    await until("the agent has begun", () => existsSync(started));
    uwf.kill("SIGTERM");
    await over;
    expect(await usageOf(box, thread)).toMatchObject({
      steps: [],
      failed: [
        { code: "AGENT_FAILED", usage: { inputTokens: 30, costUsd: null } },
        { sessionId: "s-2", usage: { inputTokens: 90, costUsd: 0.3 } },
        { usage: { inputTokens: 70, costUsd: null } },
      ],
      total: { inputTokens: 190, costUsd: 0.3, unknown: { tokens: 0, cost: 2 } },
    });
  });

  it("leaves out of a fork's total what was paid for in the other thread", async () => {
    const box = sandbox();
    const thread = await startTurns(box);
    await step(box, thread, traced("works"));
    const { head } = await box.json(["thread", "show", thread]);
    const { thread: fork } = await box.json(["thread", "fork", head]);
    expect(await usageOf(box, fork)).toMatchObject({
      steps: [{ usage: USED, inherited: true }],
      failed: [],
      total: { totalTokens: 0, costUsd: 0 },
      complete: true,
    });
    const { stdout } = await box.uwf(["thread", "usage", fork, "--table"]);
    expect(stdout).toContain(`${head} (of another thread)`);
    expect(stdout).toContain("the total leaves out 1 step of another thread");
  });

  it("says so where the log cannot be read", async () => {
    const box = sandbox();
    const thread = await startTurns(box);
    await step(box, thread, traced("works"));
    rmSync(join(box.root, "logs"), { recursive: true });
    writeFileSync(join(box.root, "logs"), "");
    const ran = await box.uwf(["thread", "usage", thread]);
    expect(ran.stderr).toContain("the failed runs are not known");
    expect(JSON.parse(ran.stdout)).toMatchObject({
      failed: null,
      failedTotal: null,
      total: USED,
      complete: false,
    });
  });
});
