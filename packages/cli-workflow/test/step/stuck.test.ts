import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { DoctorOutput, ThreadListItem, ThreadShowOutput } from "@uncaged/workflow-protocol";
import { beforeAll, describe, expect, it } from "vitest";
import { MADE, mockWith } from "../sessions/support.js";
import { CORRECTED, NO_FALLBACK, startStuck } from "../support/stuck.js";
import { HAS_TERMINALS, onTerminal } from "../support/terminal.js";
import { type Ran, type Sandbox, sandbox } from "../support/uwf.js";

const UNDECIDED = "---\nscore: high\n---\n";

let box: Sandbox;
let agent: string;
let thread: string;
let ran: Ran;
let head: string;

beforeAll(async () => {
  box = sandbox();
  agent = mockWith(box, { maker: [{ reply: MADE }], checker: [{ reply: UNDECIDED }] });
  thread = await startStuck(box, NO_FALLBACK, agent);
  ran = await box.uwf(["thread", "step", thread, "--agent", agent]);
  head = /recorded as (\w{13})/.exec(ran.stderr)?.[1] ?? "";
});

const show = () => box.json<ThreadShowOutput>(["thread", "show", thread]);
const failure = () => ({
  outcome: "routing",
  code: "NO_TRANSITION",
  message: expect.stringContaining("no transition matches after checker"),
  hint: expect.stringContaining(`uwf thread fork ${head} --workflow loop`),
  role: "checker",
  timestamp: expect.any(Number),
});
const stuckEvents = async () => {
  const lines = await box.json<readonly { readonly event?: string }[]>(["log", "--thread", thread]);
  return lines.filter(({ event }) => event === "stuck");
};

describe("a thread whose routing has failed", () => {
  it("after a step, which is recorded: show, list and log tell it", async () => {
    expect(ran).toMatchObject({ code: 5, stdout: "" });
    expect(await show()).toMatchObject({ head, done: false, runs: { failed: 0 }, lastFailure: failure() });
    expect(await box.json<ThreadListItem[]>(["thread", "list"])).toEqual([
      { thread, workflow: expect.any(String), head, lastFailure: failure() },
    ]);
    expect(await box.json<ThreadListItem[]>(["thread", "list", "--all"])).toMatchObject([
      { done: false, lastFailure: { code: "NO_TRANSITION" } },
    ]);
    expect(await stuckEvents()).toMatchObject([{ thread, code: "NO_TRANSITION", role: "checker", head }]);
  });

  it("and fails again before a run, logged once", async () => {
    const again = await box.uwf(["thread", "step", thread, "--agent", "/nowhere"]);
    expect(again).toMatchObject({ code: 5, stdout: "" });
    expect(again.stderr).toContain(`uwf thread fork ${head} --workflow loop`);
    const first = (await show()).lastFailure?.timestamp;
    await box.uwf(["thread", "step", thread, "--agent", "/nowhere"]);
    expect((await show()).lastFailure?.timestamp).toBe(first);
    expect(await stuckEvents()).toHaveLength(1);
  });

  it("is found by doctor, with a fix that goes on", async () => {
    const { findings } = await box.json<DoctorOutput>(["doctor"]);
    expect(findings).toContainEqual({
      check: "threads.yaml",
      status: "warning",
      message: expect.stringContaining(`thread ${thread} is stuck: no transition matches after checker`),
      fix: expect.stringContaining(`uwf thread fork ${head} --workflow loop`),
    });
  });

  it("gets every transition from next, with values, errors and the fault, and exit 5", async () => {
    const next = await box.uwf(["thread", "next", thread]);
    expect(next).toMatchObject({ code: 5, stderr: "" });
    expect(JSON.parse(next.stdout)).toMatchObject({
      thread,
      head,
      next: null,
      error: {
        code: "NO_TRANSITION",
        hint: expect.stringContaining(`uwf thread fork ${head} --workflow loop`),
      },
      transitions: [
        { role: "maker", condition: "no", value: false, error: null },
        { role: "$END", condition: "yes", value: false, error: null },
      ],
    });
  });

  it("says nothing of a head that the thread has left", async () => {
    const { thread: other } = await box.json([
      "thread",
      "fork",
      head,
      "--workflow",
      box.write("c.yaml", CORRECTED),
    ]);
    expect(await box.json(["thread", "show", other])).toMatchObject({ lastFailure: null });
    const threads = readFileSync(join(box.root, "threads.yaml"), "utf8");
    const { head: forked } = await box.json(["thread", "show", other]);
    box.write(join(box.root, "threads.yaml"), threads.replace(`"${head}"`, `"${forked}"`));
    expect(await show()).toMatchObject({ head: forked, lastFailure: null });
    expect((await box.json<object[]>(["thread", "list"])).map((item) => "lastFailure" in item)).toEqual([
      false,
      false,
    ]);
  });

  it("and is over is not stuck any more", async () => {
    await box.json(["thread", "kill", thread]);
    expect(await show()).toMatchObject({ done: true, reason: "killed", lastFailure: null });
    const { findings } = await box.json<DoctorOutput>(["doctor"]);
    expect(findings.map(({ message }) => message).join()).not.toContain("is stuck");
  });
});

describe("a thread that nothing leads on from", () => {
  const NEVER = CORRECTED.replace("- { role: maker, condition: null }", "- { role: maker, condition: yes }");

  it("is stuck before its first run too: show and log tell it", async () => {
    const own = sandbox();
    const start = ["thread", "start", own.write("w.yaml", NEVER), "-p", "x"];
    const { thread: fresh } = await own.json<{ thread: string }>(start);
    expect(await own.uwf(["thread", "step", fresh, "--agent", "/nowhere"])).toMatchObject({ code: 5 });
    const shown = await own.json<ThreadShowOutput>(["thread", "show", fresh]);
    expect(shown).toMatchObject({
      lastFailure: { outcome: "routing", code: "NO_TRANSITION", role: "$START" },
    });
    const lines = await own.json<readonly { readonly event?: string }[]>(["log", "--thread", fresh]);
    expect(lines.filter(({ event }) => event === "stuck")).toMatchObject([{ head: shown.head }]);
  });

  it("is not stuck any more once a decision leads on, though the agent fails", async () => {
    const own = sandbox();
    const start = ["thread", "start", own.write("w.yaml", CORRECTED), "-p", "x"];
    const { thread: fresh } = await own.json<{ thread: string }>(start);
    const { head: first } = await own.json<ThreadShowOutput>(["thread", "show", fresh]);
    const stuck = {
      head: first,
      code: "NO_TRANSITION",
      message: "m",
      hint: "h",
      role: "$START",
      timestamp: 1,
    };
    own.write(join(own.root, "runs", fresh, "stuck.json"), JSON.stringify(stuck));
    expect(await own.json(["thread", "show", fresh])).toMatchObject({ lastFailure: { message: "m" } });
    expect((await own.uwf(["thread", "step", fresh, "--agent", "false"])).code).not.toBe(0);
    const { lastFailure } = await own.json<ThreadShowOutput>(["thread", "show", fresh]);
    expect(lastFailure).not.toMatchObject({ outcome: "routing" });
  });
});

describe.skipIf(!HAS_TERMINALS)("a fork at a dead end, which no step has tried", () => {
  let own: Sandbox;
  let fork: string;
  const terminal = async (...args: readonly string[]): Promise<string> =>
    (await onTerminal(own, args, { columns: 120, env: { NO_COLOR: "1" } })).stdout;

  beforeAll(async () => {
    own = sandbox();
    const mock = mockWith(own, { maker: [{ reply: MADE }], checker: [{ reply: UNDECIDED }] });
    await startStuck(own, NO_FALLBACK, mock);
    const { stderr } = await own.uwf(["thread", "step", "latest", "--agent", mock]);
    const at = /recorded as (\w{13})/.exec(stderr)?.[1] ?? "";
    fork = (await own.json<{ thread: string }>(["thread", "fork", at])).thread;
  });

  it("is failing on every screen that names its state", async () => {
    const end = fork.slice(-4);
    const lineOf = (text: string): string => text.split(/\r?\n/).find((line) => line.startsWith(end)) ?? "";
    expect(await terminal("thread", "show", fork)).toMatch(/state +failing/);
    expect(lineOf(await terminal("thread", "list"))).toMatch(/ failing /);
    expect(lineOf(await terminal("thread", "list", "--tree"))).toMatch(/: failing$/);
    const file = join(own.cwd, "report.html");
    await own.uwf(["thread", "report", fork, "-o", file]);
    expect(readFileSync(file, "utf8")).toContain('<span class="state failing">failing</span>');
    expect(await terminal("workflow", "graph", "--thread", fork)).toContain("checker ×1 [stuck]");
  });

  it("is failing for programs, with the reason that a step would give", async () => {
    expect(await own.json(["thread", "list", "--tree", "--format", "json"])).toContainEqual(
      expect.objectContaining({ thread: fork, state: "failing" }),
    );
    expect(await own.json(["thread", "show", fork])).toMatchObject({
      lastFailure: { outcome: "routing", code: "NO_TRANSITION", role: "checker" },
    });
    const { findings } = await own.json<DoctorOutput>(["doctor"]);
    expect(findings.map(({ message }) => message).join()).toContain(`thread ${fork} is stuck`);
  });
});
