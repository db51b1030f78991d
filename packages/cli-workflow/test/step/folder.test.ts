import { chmodSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ThreadShowOutput } from "@uncaged/workflow-protocol";
import { describe, expect, it } from "vitest";
import { killNow, startWorking } from "../operator/support.js";
import { agentRuns, logLines } from "../support/logs.js";
import { type Sandbox, sandbox, until } from "../support/uwf.js";
import { startTurns, zoo } from "../support/workflows.js";

type Shown = { readonly cwd: string | null; readonly done: boolean };

type Seen = { readonly cwd: string; readonly env: Readonly<Record<string, string>> };

function folder(box: Sandbox, name: string): string {
  const path = join(box.home, name);
  mkdirSync(path);
  return path;
}

function isThere(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** Where the agent of one step works. */
async function seenBy(box: Sandbox, thread: string, from: string, more: readonly string[] = []) {
  const out = join(box.root, "..", "seen.json");
  rmSync(out, { force: true });
  const agent = zoo("printsEnvironment", `'${out}'`);
  const ran = await box.uwf(["thread", "step", thread, "--agent", agent, ...more], { cwd: from });
  expect(ran.stderr).not.toContain("FOLDER_UNUSABLE");
  const { cwd, env }: Seen = JSON.parse(readFileSync(out, "utf8"));
  expect(env.PWD).toBe(cwd);
  return cwd;
}

async function cwdOf(box: Sandbox, thread: string): Promise<string | null> {
  return (await box.json<Shown>(["thread", "show", thread], { cwd: "/" })).cwd;
}

describe("a thread's agents work in its folder", () => {
  it("the one where it was started, wherever the step is called", async () => {
    const box = sandbox();
    const thread = await startTurns(box);
    expect(await cwdOf(box, thread)).toBe(box.cwd);
    expect(await seenBy(box, thread, "/")).toBe(box.cwd);
  });

  it("the one that thread start --cwd names, from where it was typed", async () => {
    const box = sandbox();
    const other = folder(box, "other");
    await startTurns(box);
    const started = ["thread", "start", "turns", "-p", "x", "--cwd", "../home/other"];
    const { thread } = await box.json(started);
    expect(await cwdOf(box, thread)).toBe(other);
    expect(await seenBy(box, thread, box.cwd)).toBe(other);
  });

  it("thread step --cwd moves it for good", async () => {
    const box = sandbox();
    const other = folder(box, "other");
    const thread = await startTurns(box);
    expect(await seenBy(box, thread, other, ["--cwd", "."])).toBe(other);
    expect(await cwdOf(box, thread)).toBe(other);
    expect(await seenBy(box, thread, "/")).toBe(other);
  });

  it("a relative program is the caller's where he types it, and the thread's in config.yaml", async () => {
    const box = sandbox();
    const other = folder(box, "other");
    const thread = await startTurns(box);
    const script = (name: string): string => `#!/bin/sh\nprintf ${name} >&2\nexit 3\n`;
    for (const [at, name] of [
      [box.cwd, "of-thread"],
      [other, "of-caller"],
    ] as const) {
      writeFileSync(join(at, "agent"), script(name), { mode: 0o755 });
    }
    const typed = await box.uwf(["thread", "step", thread, "--agent", "./agent"], { cwd: other });
    expect(typed.stderr).toContain("of-caller");
    const config = { agents: { own: { command: "./agent", args: [] } }, defaultAgent: "own" };
    box.write(join(box.root, "config.yaml"), JSON.stringify(config));
    const configured = await box.uwf(["thread", "step", thread], { cwd: other });
    expect(configured.stderr).toContain("of-thread");
  });
});

describe("a folder in which no agent can work", () => {
  it("that is gone exits 4 and runs nothing; --cwd of the hint is the fix", async () => {
    const box = sandbox();
    const thread = await startTurns(box);
    const other = folder(box, "other");
    renameSync(box.cwd, `${box.cwd}-moved`);
    const ran = await box.uwf(["thread", "step", thread, "--agent", zoo("valid")], { cwd: other });
    expect(ran.code).toBe(4);
    expect(ran.stderr).toContain(`error[FOLDER_UNUSABLE]: the agents of thread ${thread} cannot work in`);
    expect(ran.stderr).toContain(`there is no ${box.cwd}`);
    const [, fix = ""] = /`uwf (.*)`/.exec(ran.stderr) ?? [];
    expect(fix).toBe(`thread step ${thread} --cwd .`);
    const fixed = await box.uwf([...fix.split(" "), "--agent", zoo("valid")], { cwd: other });
    expect(fixed.code).toBe(0);
    expect(await cwdOf(box, thread)).toBe(other);
  });

  it("that went while its agent worked: a complete result is taken over, and no agent runs again", async () => {
    const box = sandbox();
    const thread = await startTurns(box);
    const { uwf, go } = await startWorking(box, thread);
    const { running } = await box.json<ThreadShowOutput>(["thread", "show", thread]);
    await killNow(uwf);
    go();
    await until("the agent has ended", () => !isThere(running?.pid ?? 0));
    renameSync(box.cwd, `${box.cwd}-moved`);
    const ran = await box.uwf(["thread", "step", thread, "--agent", "uwf-none"], { cwd: "/" });
    expect(ran).toMatchObject({ code: 0, stderr: "" });
    expect(agentRuns(box)).toBe(1);
    const next = await box.uwf(["thread", "step", thread, "--agent", "uwf-none"], { cwd: "/" });
    expect([next.code, next.stderr]).toEqual([4, expect.stringContaining("FOLDER_UNUSABLE")]);
  });

  it("that went with an agent that left no result exits 4, and says how to go on", async () => {
    const box = sandbox();
    const thread = await startTurns(box);
    const { uwf } = await startWorking(box, thread);
    const { running } = await box.json<ThreadShowOutput>(["thread", "show", thread]);
    await killNow(uwf);
    process.kill(-(running?.pid ?? 0), "SIGKILL");
    await until("the agent has ended", () => !isThere(running?.pid ?? 0));
    renameSync(box.cwd, `${box.cwd}-moved`);
    const ran = await box.uwf(["thread", "step", thread, "--agent", zoo("valid")], { cwd: box.home });
    expect([ran.code, ran.stderr]).toEqual([4, expect.stringContaining(`thread step ${thread} --cwd .`)]);
    expect(agentRuns(box)).toBe(1);
    expect(await box.json(["thread", "show", thread], { cwd: box.home })).toMatchObject({
      runs: { abandoned: 1 },
    });
  });

  it("that its agent removes is named with the agent, and not called a full disk", async () => {
    const box = sandbox();
    const thread = await startTurns(box);
    const agent = box.write(join(box.home, "removes"), '#!/bin/sh\nrm -rf "$PWD"\nexit 74\n');
    chmodSync(agent, 0o755);
    const ran = await box.uwf(["thread", "step", thread, "--retries", "2", "--agent", agent], {
      cwd: box.home,
    });
    expect(ran.code).toBe(4);
    expect(ran.stderr).toContain(
      `error[FOLDER_UNUSABLE]: the agents of thread ${thread} cannot work in its folder: there is no ${box.cwd} since agent ${agent} worked in it as maker\nhint: restore it, `,
    );
    expect(logLines(box)).toHaveLength(1);
  });

  it("whose file is damaged exits 7; --cwd repairs it", async () => {
    const box = sandbox();
    const thread = await startTurns(box);
    box.write(join(box.root, "runs", thread, "cwd.json"), "{");
    const ran = await box.uwf(["thread", "step", thread, "--agent", zoo("valid")]);
    expect([ran.code, ran.stderr]).toEqual([
      7,
      expect.stringContaining("cwd.json is damaged: it names no folder"),
    ]);
    const shown = await box.uwf(["thread", "show", thread]);
    expect(JSON.parse(shown.stdout).cwd).toBeNull();
    expect(shown.stderr).toContain("cwd.json");
    await box.json(["thread", "step", thread, "--cwd", ".", "--agent", zoo("valid")]);
    expect(await cwdOf(box, thread)).toBe(box.cwd);
  });

  it.each([
    ["does not exist", "../none"],
    ["is a file", "file"],
    ["is empty", ""],
  ])("that is given and %s is refused by start, fork and step, and nothing changes", async (_case, given) => {
    const box = sandbox();
    const thread = await startTurns(box);
    const { head } = await box.json(["thread", "show", thread]);
    box.write("file", "");
    const before = box.snapshot();
    const lines = [
      ["start", "turns", "-p", "x"],
      ["fork", head],
      ["step", thread, "--agent", zoo("valid")],
    ];
    for (const line of lines) {
      const ran = await box.uwf(["thread", ...line, "--cwd", given]);
      expect([ran.code, ran.stderr]).toEqual([4, expect.stringContaining("error[INVALID_INPUT]: --cwd")]);
    }
    expect(box.snapshot()).toEqual(before);
    expect(await cwdOf(box, thread)).toBe(box.cwd);
  });

  it.skipIf(process.getuid?.() === 0)("that may not be read exits 4", async () => {
    const box = sandbox();
    const other = folder(box, "other");
    const thread = await startTurns(box);
    await seenBy(box, thread, other, ["--cwd", "."]);
    chmodSync(other, 0o000);
    const ran = await box.uwf(["thread", "step", thread, "--agent", zoo("valid")]);
    expect([ran.code, ran.stderr]).toEqual([4, expect.stringContaining("may not be read")]);
    chmodSync(other, 0o700);
  });
});

describe("a thread without a folder", () => {
  it("of an earlier version: its first step keeps the caller's", async () => {
    const box = sandbox();
    const other = folder(box, "other");
    const thread = await startTurns(box);
    rmSync(join(box.root, "runs"), { recursive: true });
    expect(await cwdOf(box, thread)).toBeNull();
    expect(await seenBy(box, thread, other)).toBe(other);
    expect(await seenBy(box, thread, "/")).toBe(other);
  });

  it("of another machine: the import says so", async () => {
    const [from, to] = [sandbox(), sandbox()];
    const thread = await startTurns(from);
    const file = join(from.cwd, "thread.jsonl");
    await from.json(["cas", "export", thread, "-o", file]);
    const ran = await to.uwf(["cas", "import", file]);
    expect(ran.code).toBe(0);
    expect(ran.stderr).toContain(`thread ${thread} has no folder here`);
    expect(await cwdOf(to, thread)).toBeNull();
  });

  it("that has ended: nothing of it is left", async () => {
    const box = sandbox();
    const thread = await startTurns(box);
    await box.json(["thread", "kill", thread]);
    expect(await cwdOf(box, thread)).toBeNull();
    expect(box.read("threads.yaml").trim()).toMatch(/^(\{\})?$/);
    expect(() => box.read(`runs/${thread}/cwd.json`)).toThrow("ENOENT");
  });
});

type Forked = {
  readonly thread: string;
  readonly forkedFrom: { readonly thread: string | null };
  readonly cwd: string;
};

describe("a fork", () => {
  it("works where the thread does that it comes from, and says whose folder it is", async () => {
    const box = sandbox();
    const thread = await startTurns(box);
    const { head } = await box.json(["thread", "step", thread, "--agent", zoo("valid")]);
    const forked = await box.json<Forked>(["thread", "fork", head], { cwd: "/" });
    expect(forked).toMatchObject({ forkedFrom: { step: head, thread }, cwd: box.cwd });
    expect(await seenBy(box, forked.thread, "/")).toBe(box.cwd);
  });

  it("works in the given folder", async () => {
    const box = sandbox();
    const other = folder(box, "other");
    const { head } = await box.json(["thread", "show", await startTurns(box)]);
    const forked = await box.json<Forked>(["thread", "fork", head, "--cwd", other]);
    expect(forked).toMatchObject({ forkedFrom: { thread: null }, cwd: other });
  });

  it("works in the caller's folder if the owner of the node is unknown", async () => {
    const box = sandbox();
    const other = folder(box, "other");
    const thread = await startTurns(box);
    const { head } = await box.json(["thread", "show", thread]);
    await box.json(["thread", "fork", head, "--cwd", other]);
    const two = await box.json<Forked>(["thread", "fork", head], { cwd: box.home });
    expect(two).toMatchObject({ forkedFrom: { thread: null }, cwd: box.home });
    await box.json(["thread", "kill", thread]);
  });
});
