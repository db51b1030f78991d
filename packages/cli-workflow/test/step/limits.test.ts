import { appendFileSync, existsSync, readFileSync, symlinkSync, unlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ThreadLimitOutput, ThreadShowOutput } from "@uncaged/workflow-protocol";
import { beforeEach, describe, expect, it } from "vitest";
import { configure, parentYaml, starts, withKit } from "../children/support.js";
import { judged, MADE, mockWith } from "../sessions/support.js";
import { startGate } from "../support/gate.js";
import { type Sandbox, sandbox } from "../support/uwf.js";
import { startTurns, TURNS, zoo } from "../support/workflows.js";

const USAGE = { inputTokens: 1, outputTokens: 1, costUsd: 0.5 };

let box: Sandbox;

beforeEach(() => {
  box = sandbox();
});

/** Never comes to its end: each text is rejected. A reply costs half a dollar. */
function endless(told: object = { usage: USAGE }): string {
  return mockWith(box, {
    maker: [{ reply: MADE, ...told }],
    checker: [{ reply: judged(false), ...told }],
  });
}

const start = async (...words: readonly string[]): Promise<string> => {
  await box.prepare(["workflow", "put", box.write("turns.yaml", TURNS)]);
  return (await box.prepare(["thread", "start", "turns", "-p", "Do it", ...words])).thread;
};
const run = (thread: string, agent = endless()) => box.uwf(["thread", "run", thread, "--agent", agent]);
const limit = (thread: string, ...words: readonly string[]) =>
  box.json<ThreadLimitOutput>(["thread", "limit", thread, ...words]);
const show = (thread: string) => box.json<ThreadShowOutput>(["thread", "show", thread]);
const fileOf = (thread: string, name: string) => join(box.root, "runs", thread, name);

describe("a thread with a limit", () => {
  it.each([
    ["steps", ["--max-steps", "3"], "3 steps taken; the limit is 3", "--max-steps 6", 3],
    ["cost", ["--max-cost", "1"], "$1 spent; the limit is $1", "--max-cost 2", 2],
    ["minutes", ["--max-minutes", "0"], "0 minutes of agent time used; the limit is 0", "--max-minutes 1", 0],
  ])("starts no run beyond it: %s", async (_, words, sentence, raise, steps) => {
    const thread = await start(...words);
    const ran = await run(thread);
    expect(ran.code).toBe(9);
    expect(ran.stderr).toContain(`error[LIMIT_REACHED]: thread ${thread} has reached a limit: ${sentence}`);
    expect(ran.stderr).toContain(`uwf thread limit ${thread} ${raise}`);
    expect((await limit(thread)).spent).toMatchObject({ steps, costUsd: steps / 2, unknownCost: 0 });
    expect(await show(thread)).toMatchObject({
      held: { for: "limit", question: sentence, threads: [], until: null },
    });
    expect(await box.json(["thread", "list", "--held"])).toMatchObject([{ thread }]);
  });

  it("goes on when the limit is raised, by the command that the hint names, and what was spent stays spent", async () => {
    const thread = await start("--max-cost", "1");
    const hint = /uwf (thread limit \S+ --max-cost \d+)/.exec((await run(thread)).stderr)?.[1] ?? "";
    expect(await box.json(hint.split(" "))).toMatchObject({ limits: { maxCostUsd: 2 }, spent: { steps: 2 } });
    expect((await show(thread)).held).toBe(null);
    expect((await run(thread)).stderr).toContain("$2 spent; the limit is $2");
    expect((await limit(thread)).spent).toMatchObject({ steps: 4, costUsd: 2 });
  });

  it("that is held is answered without a run, a config.yaml or a line in the log", async () => {
    const thread = await start("--max-steps", "1");
    await run(thread);
    const before = await box.json(["log", "--thread", thread]);
    for (let count = 0; count < 3; count += 1) expect((await run(thread)).code).toBe(9);
    expect(await box.json(["log", "--thread", thread])).toEqual(before);
  });

  it("counts failed runs and retries", async () => {
    const thread = await start("--max-cost", "5", "--max-minutes", "60");
    const failing = ["thread", "step", thread, "--agent", zoo("exit-3"), "--retries", "2"];
    expect((await box.uwf(failing, { env: { UWF_BACKOFF_SECONDS: "0.01" } })).code).toBe(6);
    const lines = readFileSync(fileOf(thread, "spent.jsonl"), "utf8").trim().split("\n");
    expect(lines).toHaveLength(4);
    const { spent } = await limit(thread);
    expect(spent).toMatchObject({ steps: 0, costUsd: 0, unknownCost: 3 });
  });

  it("says so if the cost of its runs is not known", async () => {
    const thread = await start("--max-cost", "5", "--max-steps", "2");
    const ran = await run(thread, endless({}));
    expect(ran.stderr).toContain(
      "warning: the cost of 1 run is not known: the limit of 5 USD does not see it",
    );
    expect((await limit(thread)).spent).toMatchObject({ costUsd: 0, unknownCost: 2 });
  });

  it("that gets one late counts what it has spent before, by its history and the log", async () => {
    const thread = await start();
    const agent = endless();
    for (let count = 0; count < 4; count += 1) await box.json(["thread", "step", thread, "--agent", agent]);
    await box.uwf(["thread", "step", thread, "--agent", zoo("exit-3")]);
    expect(existsSync(fileOf(thread, "spent.jsonl"))).toBe(false);
    expect(await limit(thread)).toMatchObject({
      limits: { maxSteps: null, maxCostUsd: null, maxMinutes: null },
      spent: { steps: 4, costUsd: 2, unknownCost: 1 },
    });
    await limit(thread, "--max-cost", "2");
    expect((await run(thread)).stderr).toContain("$2 spent; the limit is $2");
    await limit(thread, "--max-cost", "none", "--max-steps", "5");
    expect((await run(thread)).stderr).toContain("5 steps taken; the limit is 5");
  });

  it("lets a person answer, and counts the answer as a step", async () => {
    const thread = await startGate(box);
    await limit(thread, "--max-steps", "1");
    const agent = mockWith(box, { maker: [{ reply: MADE }] });
    expect((await run(thread, agent)).stderr).toContain("waits for an answer");
    expect((await box.uwf(["thread", "answer", thread, "--field", "approved=false"])).code).toBe(0);
    expect((await run(thread, agent)).stderr).toContain("2 steps taken; the limit is 1");
  });
});

describe("limits in config.yaml", () => {
  const config = (text: string): void => writeFileSync(join(box.root, "config.yaml"), text);

  it("hold for a workflow, or for every one; a thread's own come first", async () => {
    const thread = await startTurns(box);
    config("limits: { default: { maxSteps: 2, maxCostUsd: 9 }, turns: { maxSteps: 1 } }\n");
    expect((await limit(thread)).limits).toEqual({ maxSteps: 1, maxCostUsd: 9, maxMinutes: null });
    expect((await run(thread)).stderr).toContain("1 step taken; the limit is 1");
    config("limits: { default: { maxSteps: 2 } }\n");
    expect((await run(thread)).stderr).toContain("2 steps taken; the limit is 2");
    await limit(thread, "--max-steps", "3");
    expect((await run(thread)).stderr).toContain("3 steps taken; the limit is 3");
  });

  it.each([
    ["limits: { turns: { maxSteps: -1 } }", "a whole number, 0 or more"],
    ["limits: { turns: { maxCostUsd: lots } }", "a number, 0 or more"],
    ["limits: { turns: 3 }", "a map"],
    ["limits: 3", "a map"],
  ])("that make no sense are refused: %s", async (text, expected) => {
    const thread = await startTurns(box);
    config(`${text}\n`);
    const ran = await run(thread);
    expect(ran.code).toBe(4);
    expect(ran.stderr).toContain(expected);
  });

  it("call notify, once for each limit that is reached", async () => {
    const told = join(box.cwd, "told");
    const notify = box.write("notify.sh", `#!/bin/sh\ncat >>'${told}'\n`);
    const thread = await startTurns(box);
    config(
      `limits: { default: { maxSteps: 1 } }\nnotify: { command: /bin/sh, args: ['${notify}'], on: [limit] }\n`,
    );
    await run(thread);
    await run(thread);
    const events = readFileSync(told, "utf8").trim().split("\n");
    expect(events.map((line) => JSON.parse(line))).toMatchObject([
      {
        event: "limit",
        thread,
        question: "1 step taken; the limit is 1",
        command: `uwf thread limit ${thread} --max-steps 2`,
      },
    ]);
  });
});

describe("the limit of a thread with children", () => {
  it("is shared by all of them: each names the thread whose limit it is, and raising it lets them go on", async () => {
    await configure(box);
    await box.json(["workflow", "put", box.write("p.yaml", parentYaml())]);
    const { thread } = await box.json(["thread", "start", "parent", "-p", "Ship it", "--max-steps", "0"]);
    // The parent's own run is not started either.
    expect((await box.uwf(["thread", "run", thread], withKit())).stderr).toContain(
      "0 steps taken; the limit is 0",
    );
    await limit(thread, "--max-steps", "1");
    const ended = await box.uwf(["thread", "run", thread], withKit());
    expect(ended.code).toBe(0);
    expect(starts(box)).toHaveLength(1);
  });

  it("holds a child that is stepped by itself", async () => {
    await configure(box);
    await box.json(["workflow", "put", box.write("two.yaml", TURNS)]);
    const parent = parentYaml("{ workflow: turns }", { name: "outer" });
    await box.json(["workflow", "put", box.write("o.yaml", parent)]);
    const { thread } = await box.json(["thread", "start", "outer", "-p", "Ship it", "--max-steps", "2"]);
    const args = JSON.stringify(["-c", `exec ${endless()} "$0" "$1"`]);
    const config = `agents: { mock: { command: sh, args: ${args} } }\ndefaultAgent: mock\n`;
    writeFileSync(join(box.root, "config.yaml"), config);
    const ran = await box.uwf(["thread", "run", thread], withKit());
    expect(ran.stderr).toContain("error[WAITING_FOR_THREADS]");
    const [child] = (await show(thread)).held?.threads ?? [];
    const own = await box.uwf(["thread", "step", child ?? ""], withKit());
    expect(own.code).toBe(9);
    expect(own.stderr).toContain(`thread ${child} has reached a limit of thread ${thread}: 2 steps taken`);
    await limit(thread, "--max-steps", "4");
    expect((await show(child ?? "")).held).toBe(null);
    expect((await box.uwf(["thread", "run", thread], withKit())).stderr).toContain("WAITING_FOR_THREADS");
    expect((await limit(thread)).spent.steps).toBe(4);
    // Each has its own account besides.
    expect((await limit(child ?? "")).spent.steps).toBe(4);
  });
});

describe("a damaged file", () => {
  it.each([
    ["limits.json", "{}", "it is not {maxSteps, maxCostUsd, maxMinutes}"],
    ["limits.json", "[", "it is not"],
    ["spent.jsonl", "{}\n", "line 1: it is not {run, steps, ms, costUsd, unknownCost}"],
    ["spent.jsonl", '{"run":"a","steps":-1,"ms":0,"costUsd":0,"unknownCost":0}\n', "line 1"],
  ])("%s with %s is told with its hint, and no run starts", async (name, text, reason) => {
    const thread = await start("--max-steps", "5");
    await run(thread, mockWith(box, { maker: [{ reply: MADE }] }));
    const { head } = await show(thread);
    writeFileSync(fileOf(thread, name), text);
    const ran = await run(thread);
    expect(ran.code).toBe(7);
    expect(ran.stderr).toContain(`${name}`);
    expect(ran.stderr).toContain(reason);
    const command = /`(rm [^`]+)`/.exec(ran.stderr)?.[1] ?? "";
    expect(command).toContain(name);
    expect((await show(thread)).head).toBe(head);
  });

  it("that is a link is not followed", async () => {
    const thread = await start("--max-steps", "5");
    const foreign = box.write("foreign", "mine\n");
    await run(thread, mockWith(box, { maker: [{ reply: MADE }] }));
    const file = fileOf(thread, "spent.jsonl");
    unlinkSync(file);
    symlinkSync(foreign, file);
    expect((await run(thread)).code).toBe(7);
    expect(readFileSync(foreign, "utf8")).toBe("mine\n");
  });

  it("with a torn last line loses nothing, and goes on below it", async () => {
    const thread = await start("--max-steps", "3");
    await box.uwf(["thread", "step", thread, "--agent", endless()]);
    appendFileSync(fileOf(thread, "spent.jsonl"), '{"run":"to');
    expect((await run(thread)).stderr).toContain("3 steps taken; the limit is 3");
  });
});
