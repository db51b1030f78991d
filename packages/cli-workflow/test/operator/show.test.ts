import { mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import type { ThreadShowOutput } from "@uncaged/workflow-protocol";
import { describe, expect, it } from "vitest";
import { keeps } from "../sessions/support.js";
import { ASKED_ZOO, RUNTIMES, reap, type Sandbox, sandbox, until } from "../support/uwf.js";
import { startTurns, zoo } from "../support/workflows.js";
import { exists, killNow, startWorking } from "./support.js";

const show = (box: Sandbox, thread: string) => box.json<ThreadShowOutput>(["thread", "show", thread]);
const step = (box: Sandbox, thread: string, behaviour: string) =>
  box.uwf(["thread", "step", thread, "--agent", zoo(behaviour)]);

describe("uwf thread show", () => {
  it.each(RUNTIMES)(
    "tells the failed runs since the last step, and forgets them after the next (%s)",
    async (runtime) => {
      const box = sandbox(runtime);
      const thread = await startTurns(box);
      const fresh = await show(box, thread);
      expect(fresh).toMatchObject({ runs: { failed: 0, abandoned: 0 }, lastFailure: null, running: null });
      expect(Object.keys(fresh).slice(0, 4)).toEqual(["workflow", "thread", "head", "done"]);
      await step(box, thread, "silent");
      await step(box, thread, "exit3");
      expect(await show(box, thread)).toMatchObject({
        runs: { failed: 2, abandoned: 0 },
        lastFailure: {
          outcome: "failed",
          code: "AGENT_FAILED",
          message: expect.stringContaining("exited with 3 as maker"),
          role: "maker",
          exitCode: 3,
          stderr: "the model is out of credit\n",
          timestamp: expect.any(Number),
        },
      });
      await step(box, thread, "valid");
      expect(await show(box, thread)).toMatchObject({ runs: { failed: 0, abandoned: 0 }, lastFailure: null });
    },
  );

  it("shows the current run, and a run that lost its uwf while its agent lives", async () => {
    const box = sandbox();
    const thread = await startTurns(box);
    const { uwf, go } = await startWorking(box, thread);
    const running = {
      role: "maker",
      agent: ASKED_ZOO[0],
      since: expect.any(Number),
      pid: expect.any(Number),
      model: null,
      lastSignOfLife: null,
    };
    const seen = (...args: readonly string[]) => box.uwf(["thread", ...args, "--format", "text"]);
    expect((await show(box, thread)).running).toEqual({ ...running, uwf: "alive" });
    expect((await seen("show", thread)).stdout).toMatch(/^state +running$/m);
    await killNow(uwf);
    const { running: orphan, leftRun } = await show(box, thread);
    expect(orphan).toEqual({ ...running, uwf: "dead" });
    expect(leftRun).toBeNull();
    const id = thread.slice(-4);
    const alone = (await seen("show", thread)).stdout;
    expect(alone).toMatch(/^state +abandoned: its uwf is gone, its agent works on$/m);
    expect(alone).toMatch(/^then +no second maker starts while its agent works/m);
    expect(alone).toContain(`next: uwf thread run ${id} --wait\n`);
    expect((await seen("list")).stdout).toMatch(new RegExp(`^${id} +turns +abandoned +maker `, "m"));
    expect((await seen("list", "--tree")).stdout).toContain("turns: abandoned: the uwf of maker is gone");
    const agent = orphan?.pid ?? 0;
    process.kill(-agent, "SIGKILL");
    await until("the agent is gone", () => !exists(agent));
    expect(await show(box, thread)).toMatchObject({
      running: null,
      leftRun: { role: "maker", agent: ASKED_ZOO[0], since: orphan?.since },
    });
    const left = (await seen("show", thread)).stdout;
    expect(left).toMatch(/^state +abandoned: its uwf and its agent are gone$/m);
    expect(left).toMatch(/^then +the next step takes what maker has left as its result/m);
    expect(left).toContain(`next: uwf thread run ${id}\n`);
    expect((await seen("list")).stdout).toMatch(new RegExp(`^${id} +turns +abandoned +maker `, "m"));
    go();
    await step(box, thread, "exit3");
    expect(await show(box, thread)).toMatchObject({ runs: { failed: 1, abandoned: 1 }, leftRun: null });
    expect((await seen("show", thread)).stdout).toMatch(/^state +failing$/m);
  });

  it("ends with what to do about the last failure, as its step said it", async () => {
    const box = sandbox();
    const thread = await startTurns(box);
    const failed = await step(box, thread, "exit3");
    const hint = /^hint: (.*)$/m.exec(failed.stderr)?.[1] ?? "";
    expect(hint).not.toBe("");
    expect((await show(box, thread)).lastFailure).toMatchObject({ hint });
    const { stdout } = await box.uwf(["thread", "show", thread, "--format", "text"]);
    const [fix = "", next = ""] = stdout.replaceAll(/\n +/g, " ").trimEnd().split("\n").slice(-2);
    expect(fix.replace(/^fix +/, "")).toBe(hint);
    expect(next).toBe(`next: uwf log --thread ${thread.slice(-4)}`);
  });

  it("tells one story of a pause during a run: it finishes and counts, and no other starts", async () => {
    const box = sandbox();
    const thread = await startTurns(box);
    const { uwf, go } = await startWorking(box, thread);
    const text = async (...args: readonly string[]) =>
      (await box.uwf(["thread", ...args, "--format", "text"])).stdout;
    const id = thread.slice(-4);
    const paused = (await text("pause", thread, "-m", "lunch")).replaceAll(/\s+/g, " ");
    expect(paused).toContain(`thread ${thread} is paused: maker, which runs now, finishes and counts`);
    expect(paused).toContain(`next: uwf thread resume ${id}`);
    expect(await show(box, thread)).toMatchObject({ running: { role: "maker" }, held: { for: "resume" } });
    expect(await text("show", thread)).toMatch(
      /^state +running; it is paused after this run, which counts$/m,
    );
    expect(await text("list")).toMatch(new RegExp(`^${id} +turns +running +maker `, "m"));
    expect(await text("list", "--tree")).toContain("turns: maker is running, then it is paused");
    const graph = await box.uwf(["workflow", "graph", "--thread", thread]);
    expect(graph.stdout).toContain("maker [next]");
    go();
    await new Promise((resolve) => uwf.once("close", resolve));
    expect(await text("show", thread)).toMatch(/^state +held: paused, since /m);
    expect((await step(box, thread, "valid")).stderr).toContain("error[THREAD_PAUSED]");
  });

  it("shows the model of a working agent, and its last sign of life", async () => {
    const box = sandbox();
    const thread = await startTurns(box);
    const sessions = join(box.cwd, "sessions");
    mkdirSync(sessions);
    const before = Date.now() - 1000;
    reap(box.start(["thread", "step", thread, "--agent", keeps(sessions, "hangs")]));
    const runs = join(box.root, "runs", thread);
    const files = (): readonly string[] => readdirSync(runs, { recursive: true }).map(String);
    await until("the agent has shown life", () => files().some((file) => basename(file) === "heartbeat"));
    const { running } = await show(box, thread);
    expect(running).toMatchObject({ role: "maker", model: "small-1" });
    const sign = running?.lastSignOfLife ?? "";
    expect(new Date(sign).toISOString()).toBe(sign);
    expect(Date.parse(sign)).toBeGreaterThan(before);
    // With it goes the agent, which the end of its uwf alone does not end.
    await box.json(["thread", "kill", thread]);
  });

  it("counts from its own beginning in a fork of an old step", async () => {
    const box = sandbox();
    const thread = await startTurns(box);
    await step(box, thread, "exit3");
    const { head } = await show(box, thread);
    const { thread: fork } = await box.json(["thread", "fork", head]);
    expect((await show(box, fork)).runs).toEqual({ failed: 0, abandoned: 0 });
    expect((await show(box, thread)).runs).toEqual({ failed: 1, abandoned: 0 });
  });

  it("never fails because of the log", async () => {
    const box = sandbox();
    const thread = await startTurns(box);
    const logs = join(box.root, "logs");
    const day = join(logs, `${new Date().toISOString().slice(0, 10)}.jsonl`);
    writeFileSync(day, `{"torn\n\0\0\0\n${thread}\n[]`);
    expect(await show(box, thread)).toMatchObject({ runs: { failed: 0, abandoned: 0 } });
    rmSync(day, { force: true });
    mkdirSync(day);
    const damaged = await box.uwf(["thread", "show", thread]);
    expect(JSON.parse(damaged.stdout)).toMatchObject({ runs: null, lastFailure: null, running: null });
    expect(damaged.code).toBe(0);
    expect(damaged.stderr).toContain("warning: the failed runs are not known");
  });
});
