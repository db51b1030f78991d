import { chmodSync, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { ThreadLimitOutput } from "@uncaged/workflow-protocol";
import { beforeEach, describe, expect, it } from "vitest";
import { parentYaml, WORK } from "../children/support.js";
import { judged, MADE, mockWith } from "../sessions/support.js";
import { startGate } from "../support/gate.js";
import { ended, type Sandbox, sandbox, until } from "../support/uwf.js";
import { startTurns, TURNS } from "../support/workflows.js";

let box: Sandbox;

beforeEach(() => {
  box = sandbox();
});

const COSTS = { inputTokens: 1, outputTokens: 1, costUsd: 0.5 };

/** Each text is rejected `times` times. */
function rejecting(times: number, told: object = { usage: COSTS }): string {
  const verdicts = [...Array.from({ length: times }, () => false), true];
  return mockWith(box, {
    maker: [{ reply: MADE, ...told }],
    checker: verdicts.map((approved) => ({ reply: judged(approved), ...told })),
  });
}

const roles = async (thread: string): Promise<readonly string[]> =>
  (await box.json(["thread", "steps", thread])).steps.slice(1).map(({ role }) => role);

describe("thread run --until", () => {
  let thread = "";
  beforeEach(async () => {
    thread = await startTurns(box);
  });
  const until = (role: string, ...words: readonly string[]) =>
    box.uwf(["thread", "run", thread, "--until", role, "--agent", rejecting(1), ...words]);

  it("stops before the role's agent would run, with the state and exit 0; the next run goes on from there", async () => {
    const ran = await until("checker");
    expect(ran.code).toBe(0);
    const { head } = await box.json(["thread", "show", thread]);
    expect(JSON.parse(ran.stdout)).toMatchObject({ thread, head, done: false });
    expect(await roles(thread)).toEqual(["maker"]);
    // It stands there already.
    expect(JSON.parse((await until("checker")).stdout)).toMatchObject({ head });
    expect(await roles(thread)).toEqual(["maker"]);
    expect((await until("maker")).code).toBe(0);
    expect(await roles(thread)).toEqual(["maker", "checker"]);
  });

  it("done is the end", async () => {
    const ran = await until("done");
    expect(JSON.parse(ran.stdout)).toMatchObject({ done: true });
  });

  it("a role that does not come again runs to the end", async () => {
    await until("checker");
    const agent = rejecting(0);
    const ran = await box.uwf(["thread", "run", thread, "--until", "maker", "--agent", agent]);
    expect(ran.code).toBe(0);
    expect(JSON.parse(ran.stdout)).toMatchObject({ done: true });
  });

  it("a role that the workflow does not have is refused before anything runs", async () => {
    const ran = await until("cheker");
    expect(ran).toMatchObject({ code: 4, stdout: "" });
    expect(ran.stderr).toContain('--until: workflow turns has no role cheker, did you mean "checker"?');
    expect(await roles(thread)).toEqual([]);
  });

  it("a person stops there without asking them, even if they were asked before", async () => {
    thread = await startGate(box);
    expect((await until("checker")).code).toBe(0);
    expect((await box.uwf(["thread", "run", thread])).code).toBe(9);
    expect((await until("checker")).code).toBe(0);
  });

  it("goes with a bound", async () => {
    const ran = await until("nobody", "--max-steps", "1");
    expect(ran.code).toBe(4);
    const bounded = await until("maker", "--max-steps", "1");
    // The maker comes first.
    expect(bounded.code).toBe(0);
    expect(await roles(thread)).toEqual([]);
  });
});

describe("thread run --max-cost", () => {
  it("starts no further step once this command has spent it; the next command has it anew", async () => {
    const thread = await startTurns(box);
    const run = () => box.uwf(["thread", "run", thread, "--max-cost", "1", "--agent", rejecting(9)]);
    const first = await run();
    expect(first.code).toBe(9);
    expect(first.stderr).toContain(
      `error[RUN_UNFINISHED]: thread ${thread} has not ended after 2 steps, the limit of --max-cost is reached`,
    );
    expect(JSON.parse(first.stdout)).toMatchObject({ thread, done: false });
    expect((await run()).code).toBe(9);
    expect(await roles(thread)).toHaveLength(4);
    // The thread itself has no limit.
    expect((await box.json<ThreadLimitOutput>(["thread", "limit", thread])).limits.maxCostUsd).toBeNull();
    expect(existsSync(join(box.root, "runs", thread, "spent.jsonl"))).toBe(false);
  });

  it("counts failed runs, and says so if a cost is not known", async () => {
    const thread = await startTurns(box);
    const agent = mockWith(box, { maker: [{ exitCode: 3, usage: COSTS }] });
    const words = ["thread", "run", thread, "--max-cost", "0.5", "--agent", agent];
    expect((await box.uwf(words)).code).toBe(6);
    const unknown = ["thread", "run", thread, "--max-cost", "1", "--agent", rejecting(1, {})];
    const ran = await box.uwf(unknown);
    expect(ran.code).toBe(0);
    expect(
      ran.stderr.match(/warning: the cost of a run is not known: --max-cost 1 does not see it/g),
    ).toHaveLength(1);
  });

  it("counts the threads below", async () => {
    await box.json(["workflow", "put", box.write("work.yaml", WORK)]);
    await box.json(["workflow", "put", box.write("parent.yaml", loopingParent())]);
    const { thread } = await box.json(["thread", "start", "parent", "-p", "x"]);
    const agent = mockWith(box, { worker: [{ reply: "---\nnote: done\n---\n", usage: COSTS }] });
    box.write(join(box.root, "config.yaml"), JSON.stringify(configOf(agent)));
    const ran = await box.uwf(["thread", "run", thread, "--max-cost", "1"]);
    expect(ran.code).toBe(9);
    expect(await roles(thread)).toHaveLength(2);
  });

  it("0 starts nothing", async () => {
    const thread = await startTurns(box);
    expect((await box.uwf(["thread", "run", thread, "--max-cost", "0", "--agent", rejecting(0)])).code).toBe(
      9,
    );
    expect(await roles(thread)).toEqual([]);
  });
});

/** Has its work done again and again. */
function loopingParent(): string {
  return parentYaml()
    .replace(
      "{ role: $END, condition: null }",
      "{ role: lead, condition: again }, { role: $END, condition: null }",
    )
    .replace(
      "conditions: {}",
      'conditions: { again: { description: "", expression: "steps[-1].output.ok = true" } }',
    );
}

function configOf(agent: string): object {
  const [command = "", ...args] = agent.split(" ").map((word) => word.replaceAll("'", ""));
  return { agents: { it: { command, args } }, defaultAgent: "it" };
}

describe("thread run --timeout", () => {
  it("starts no further step after it; the step under way finishes", async () => {
    const thread = await startTurns(box);
    const slow = mockWith(box, {
      maker: [{ reply: MADE, delayMs: 1200 }],
      checker: [{ reply: judged(false) }],
    });
    const ran = await box.uwf(["thread", "run", thread, "--timeout", "1s", "--agent", slow]);
    expect(ran.code).toBe(9);
    expect(ran.stderr).toContain("has not ended after 1 step, the limit of --timeout is reached");
    expect(await roles(thread)).toEqual(["maker"]);
    const none = await box.uwf(["thread", "run", thread, "--timeout", "0", "--agent", slow]);
    expect(none.code).toBe(9);
    expect(none.stderr).toContain("after 0 steps, the limit of --timeout");
  });

  it.each(["", "soon", "1.5h", "-1", "30 m"])("%j is no time", async (text) => {
    const thread = await startTurns(box);
    const ran = await box.uwf(["thread", "run", thread, `--timeout=${text}`]);
    expect(ran).toMatchObject({ code: 2, stdout: "" });
  });

  it("bounds --all too", async () => {
    const thread = await startTurns(box);
    const ran = await box.uwf(["thread", "run", "--all", "--timeout", "0", "--agent", rejecting(0)]);
    expect(ran.code).toBe(0);
    expect(await roles(thread)).toEqual([]);
  });

  it.each([
    ["--until", "maker"],
    ["--max-cost", "1"],
  ])("%s is for one thread, not for --all", async (...words) => {
    const ran = await box.uwf(["thread", "run", "--all", ...words]);
    expect(ran).toMatchObject({ code: 2, stdout: "" });
    expect(ran.stderr).toContain("are for one thread, not for --all");
  });
});

describe("uwf run", () => {
  const put = () => box.json(["workflow", "put", box.write("turns.yaml", TURNS)]);
  const run = (...words: readonly string[]) =>
    box.uwf(["run", "turns", "-p", "Do it", "--agent", rejecting(1), ...words]);

  it("that is interrupted is continued by the command of the hint, which starts no other thread", async () => {
    await put();
    const begun = join(box.cwd, "begun");
    const agent = box.write("slow.sh", `#!/bin/sh\ntouch '${begun}'\nexec sleep 60\n`);
    chmodSync(agent, 0o755);
    const running = box.start(["run", "turns", "-p", "Do it", "--agent", agent]);
    await until("its agent works", () => existsSync(begun));
    running.kill("SIGINT");
    const { code, stderr } = await ended(running);
    expect(code).toBe(130);
    const [, thread = ""] = /`uwf thread run (\w+)` goes on/.exec(stderr) ?? [];
    expect((await box.uwf(["thread", "run", thread, "--agent", rejecting(0)])).code).toBe(0);
    expect(await box.json(["thread", "list", "--all"])).toHaveLength(1);
  });

  it("starts a thread, says its id first, and steps it to the end", async () => {
    await put();
    const ran = await run();
    expect(ran.code).toBe(0);
    const { thread, done, reason } = JSON.parse(ran.stdout);
    expect({ done, reason }).toEqual({ done: true, reason: "end" });
    expect(ran.stderr.split("\n")[0]).toBe(`started thread ${thread} of turns`);
    expect(await roles(thread)).toEqual(["maker", "checker", "maker", "checker"]);
  });

  it("leaves a thread that can be gone on with, whatever happens", async () => {
    await put();
    const failed = await box.uwf(["run", "turns", "-p", "Do it", "--agent", "sh -c 'exit 3'"]);
    expect(failed).toMatchObject({ code: 6, stdout: "" });
    const thread = /^started thread (\S+) of turns\n/.exec(failed.stderr)?.[1] ?? "";
    expect(await box.json(["thread", "run", thread, "--agent", rejecting(0)])).toMatchObject({ done: true });
  });

  it("takes the options of start and of run", async () => {
    await put();
    box.write("there/file", "");
    const prompt = box.write("task.md", "From a file\n");
    const agent = rejecting(9);
    const words = ["run", "turns", "--prompt-file", prompt, "--cwd", "there", "--agent", agent];
    const ran = await box.uwf([
      ...words,
      "--max-minutes",
      "60",
      "--max-cost",
      "1",
      "--timeout",
      "1h",
      "--wait",
    ]);
    expect(ran.code).toBe(9);
    const { thread } = JSON.parse(ran.stdout);
    expect(await box.json(["thread", "show", thread])).toMatchObject({ cwd: join(box.cwd, "there") });
    expect((await box.json(["thread", "steps", thread])).steps[0]?.prompt).toBe("From a file\n");
    const { limits } = await box.json<ThreadLimitOutput>(["thread", "limit", thread]);
    // The other bounds are this command's.
    expect(limits).toEqual({ maxSteps: null, maxCostUsd: null, maxMinutes: 60 });
    expect(await roles(thread)).toHaveLength(2);
  });

  it("with --key is one thread, however often it is called: begun, gone on with, and ended", async () => {
    await put();
    const first = await run("--key", "one", "--max-steps", "1");
    expect(first.code).toBe(9);
    const { thread } = JSON.parse(first.stdout);
    const second = await run("--key", "one");
    expect(second.code).toBe(0);
    expect(second.stderr).toContain(`there is thread ${thread} of turns\n`);
    const third = await run("--key", "one");
    expect({ code: third.code, output: JSON.parse(third.stdout) }).toEqual({
      code: 0,
      output: JSON.parse(second.stdout),
    });
    expect(await roles(thread)).toHaveLength(4);
    expect((await box.uwf(["run", "turns", "-p", "Something else", "--key", "one"])).code).toBe(4);
  });

  it("with the --key of a thread that failed or was killed ends as that did", async () => {
    const failing = TURNS.replace("role: maker, condition: rejected", "role: $FAIL, condition: rejected");
    await box.json(["workflow", "put", box.write("turns.yaml", failing)]);
    for (let count = 0; count < 2; count += 1) {
      const ran = await run("--key", "one");
      expect(ran.code).toBe(10);
      expect(JSON.parse(ran.stdout)).toMatchObject({ done: true, reason: "failed" });
    }
    const { thread } = JSON.parse((await run("--key", "two", "--max-steps", "1")).stdout);
    await box.json(["thread", "kill", thread]);
    expect((await run("--key", "two")).code).toBe(8);
  });

  it("starts nothing when its own words are wrong", async () => {
    await put();
    expect((await run("--agent", "two")).code).toBe(2);
    expect((await box.uwf(["run", "turns"])).code).toBe(2);
    expect((await box.uwf(["run", "nowhere", "-p", "x"])).code).toBe(3);
    expect(await box.json(["thread", "list", "--all"])).toEqual([]);
  });

  it("with --events tells the thread in the first one, with --quiet nothing but the result", async () => {
    await put();
    const events = await run("--events");
    expect(events.stderr).toBe("");
    const [started = "", ...rest] = events.stdout.trim().split("\n");
    expect(JSON.parse(started)).toMatchObject({ event: "started", thread: expect.any(String) });
    expect(JSON.parse(rest.at(-1) ?? "")).toMatchObject({ event: "ended", reason: "end" });
    const quiet = await run("--quiet");
    expect(quiet).toMatchObject({ code: 0, stderr: "" });
    expect(JSON.parse(quiet.stdout)).toMatchObject({ done: true });
  });

  it("with --events and the --key of a thread that has ended tells that", async () => {
    await put();
    await run("--key", "one");
    const again = await run("--key", "one", "--events");
    expect(
      again.stdout
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line).event),
    ).toEqual(["started", "ended"]);
  });

  it("runs a file that is not registered", async () => {
    const ran = await box.uwf(["run", box.write("turns.yaml", TURNS), "-p", "x", "--agent", rejecting(0)]);
    expect(ran.code).toBe(0);
    expect(
      existsSync(join(box.root, "registry.yaml")) && readFileSync(join(box.root, "registry.yaml"), "utf8"),
    ).not.toContain("turns");
  });
});

describe("completion", () => {
  it("offers workflows to uwf run, and to --until the roles of the thread", async () => {
    const thread = await startTurns(box);
    const complete = async (...words: readonly string[]) => (await box.uwf(["__complete", ...words])).stdout;
    expect(await complete("run", "")).toBe("turns\n");
    expect(await complete("run", "turns", "--k")).toBe("--key\n");
    expect(await complete("thread", "run", thread, "--until", "")).toBe("maker\nchecker\ndone\n");
  });
});
