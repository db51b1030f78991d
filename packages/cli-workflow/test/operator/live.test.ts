import { type ChildProcess, spawn } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import type { ThreadShowOutput } from "@uncaged/workflow-protocol";
import { describe, expect, it } from "vitest";
import { parseAllDocuments } from "yaml";
import { configure, parentYaml, startParent, withKit } from "../children/support.js";
import { startGate } from "../support/gate.js";
import { ended, RUNTIMES, reap, type Sandbox, sandbox, until } from "../support/uwf.js";
import { startTurns, TURNS, zoo } from "../support/workflows.js";
import { killNow, startWorking } from "./support.js";

type Line = {
  readonly time: string;
  readonly event?: string;
  readonly outcome?: string;
  readonly thread: string | null;
  readonly role?: string;
  readonly run?: { readonly role: string };
};

type Live = {
  readonly process: ChildProcess;
  readonly seen: () => string;
  readonly lines: () => readonly Line[];
  /** Waits until such a line is there. */
  readonly told: (what: string, is: (line: Line) => boolean) => Promise<void>;
  readonly over: ReturnType<typeof ended>;
};

/** Follows, and waits until it does. */
async function follow(box: Sandbox, ...args: readonly string[]): Promise<Live> {
  const child = reap(box.start(["thread", "live", ...args]));
  const over = ended(child);
  let seen = "";
  child.stdout?.on("data", (chunk: Buffer) => {
    seen += chunk.toString();
  });
  const lines = () =>
    seen
      .split("\n")
      .slice(0, -1)
      .map((line): Line => JSON.parse(line));
  const told = (what: string, is: (line: Line) => boolean) => until(what, () => lines().some(is));
  if (!args.includes("--format")) await told("it follows", ({ event }) => event === "following");
  return { process: child, seen: () => seen, lines, told, over };
}

const whatOf = (lines: readonly Line[]) => lines.map(({ event, outcome }) => event ?? outcome);

const step = (box: Sandbox, thread: string, behaviour = "valid") =>
  box.uwf(["thread", "step", thread, "--agent", zoo(behaviour)]);

describe("uwf thread live <thread>", () => {
  it.each(RUNTIMES)("prints a line of JSON per event until the thread has ended (%s)", async (runtime) => {
    const box = sandbox(runtime);
    const [thread, other] = [await startTurns(box), await startTurns(box)];
    const live = await follow(box, thread);
    await step(box, other);
    const { uwf, go } = await startWorking(box, thread);
    await live.told("the run is told", ({ event }) => event === "running");
    expect(live.lines().at(-1)).toMatchObject({
      thread,
      run: { role: "maker", attempt: 1, since: expect.any(Number) },
      uwf: { pid: uwf.pid, judgement: "alive" },
    });
    go();
    await live.told("the step is told", ({ outcome }) => outcome === "step");
    await step(box, thread, "exit3");
    await step(box, thread);
    const { code, stderr } = await live.over;
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    const lines = live.lines();
    expect(new Set(lines.map((line) => line.thread))).toEqual(new Set([thread]));
    // A run may be too short to be seen.
    const long = lines.filter(({ event, run }) => event !== "running" || run?.role === "maker");
    expect(whatOf(long)).toEqual(["following", "running", "step", "failed", "step", "ended"]);
    expect(lines.at(-1)).toEqual({
      time: expect.stringMatching(/^\d{4}-\d{2}-\d{2}T.*Z$/),
      event: "ended",
      thread,
      workflow: expect.any(String),
      head: (await box.json(["thread", "show", thread])).head,
      done: true,
      reason: "end",
    });
    expect(lines.map(({ time }) => time)).toEqual(lines.map(({ time }) => time).sort());
  });

  it("exits as thread run would: 0, 10 for $FAIL, 8 for a kill; at once if that has happened", async () => {
    const box = sandbox();
    const [done, killed] = [await startTurns(box), await startTurns(box)];
    const failing = TURNS.replace("name: turns", "name: failing").replace("role: $END", "role: $FAIL");
    await box.json(["workflow", "put", box.write("failing.yaml", failing)]);
    const { thread: failed } = await box.json(["thread", "start", "failing", "-p", "x"]);
    const following = [await follow(box, done), await follow(box, failed), await follow(box, killed)];
    for (const thread of [done, failed]) await box.uwf(["thread", "run", thread, "--agent", zoo("valid")]);
    await box.json(["thread", "kill", killed]);
    for (const again of [false, true]) {
      for (const [at, [thread, code, event, fault]] of (
        [
          [done, 0, "ended", ""],
          [failed, 10, "ended", "error[THREAD_FAILED]"],
          [killed, 8, "killed", "error[THREAD_ENDED]"],
        ] as const
      ).entries()) {
        const live = again ? await follow(box, thread) : following[at];
        const ran = await live?.over;
        expect([thread, ran?.code]).toEqual([thread, code]);
        expect(ran?.stderr).toContain(fault);
        expect(live?.lines().at(-1)).toMatchObject({ thread, event, done: true });
        if (again) expect(whatOf(live?.lines() ?? [])).toEqual(["following", event]);
      }
    }
  });

  it("tells the end of a thread that is killed while its agent works", async () => {
    const box = sandbox();
    const thread = await startTurns(box);
    await startWorking(box, thread);
    const live = await follow(box, thread);
    await live.told("the run is told", ({ event }) => event === "running");
    await box.json(["thread", "kill", thread]);
    expect((await live.over).code).toBe(8);
    expect(live.lines().filter(({ event }) => event === "killed")).toHaveLength(1);
    expect(live.lines().at(-1)).toMatchObject({ event: "killed", reason: "killed" });
  });

  it("tells that the uwf of a run is gone, then that its agent is, and what goes on", async () => {
    const box = sandbox();
    const thread = await startTurns(box);
    const { uwf } = await startWorking(box, thread);
    const live = await follow(box, thread);
    const words = await follow(box, thread, "--format", "text");
    await live.told("the run is told", ({ event }) => event === "running");
    await until("it is told in words", () => words.seen().includes("maker runs"));
    const { running } = await box.json<ThreadShowOutput>(["thread", "show", thread]);
    await killNow(uwf);
    await live.told("its uwf is gone", ({ event }) => event === "abandoned");
    expect(live.lines().at(-1)).toMatchObject({ thread, role: "maker", agentAlive: true });
    await until("that is told in words", () => /its\s+agent\s+works\s+on/.test(words.seen()));
    process.kill(-(running?.pid ?? 0), "SIGKILL");
    await live.told("its agent is gone", (line) => JSON.stringify(line).includes('"agentAlive":false'));
    const id = thread.slice(-4);
    await until("both are told in words", () => words.seen().includes("and its agent are gone"));
    const said = words.seen().replaceAll(/\s+/g, " ");
    expect(said).toContain(`the uwf of maker is gone, its agent works on; \`uwf thread run ${id} --wait\``);
    expect(said).toContain(`the uwf of maker and its agent are gone; \`uwf thread run ${id}\``);
    expect(whatOf(live.lines())).toEqual(["following", "running", "abandoned", "abandoned"]);
    await step(box, thread);
    await step(box, thread);
    expect((await live.over).code).toBe(0);
  });

  it("tells of a run that was left before it began to follow", async () => {
    const box = sandbox();
    const thread = await startTurns(box);
    const { uwf } = await startWorking(box, thread);
    const { running } = await box.json<ThreadShowOutput>(["thread", "show", thread]);
    await killNow(uwf);
    process.kill(-(running?.pid ?? 0), "SIGKILL");
    const live = await follow(box, thread);
    await live.told("it is told", ({ event }) => event === "abandoned");
    expect(whatOf(live.lines())).toEqual(["following", "abandoned"]);
    await box.json(["thread", "kill", thread]);
    expect((await live.over).code).toBe(8);
  });

  it("goes on while the thread waits, and tells what for", async () => {
    const box = sandbox();
    const thread = await startGate(box);
    const live = await follow(box, thread);
    await step(box, thread);
    expect((await step(box, thread)).code).toBe(9);
    await live.told("it is held", ({ event }) => event === "held");
    expect(live.lines().at(-1)).toMatchObject({ thread, held: { for: "answer", role: "checker" } });
    await box.json(["thread", "pause", thread, "-m", "lunch"]);
    await live.told("it is paused", (line) => JSON.stringify(line).includes('"for":"resume"'));
    await box.json(["thread", "resume", thread]);
    await box.json(["thread", "answer", thread, "--field", "approved=true"]);
    expect((await live.over).code).toBe(0);
    expect(whatOf(live.lines()).filter((what) => what !== "running" && what !== "held")).toEqual([
      "following",
      "step",
      "paused",
      "resumed",
      "answered",
      "ended",
    ]);
  });

  it("follows the threads below it, too, from their start", async () => {
    const box = sandbox();
    await configure(box);
    const parent = await startParent(box, parentYaml());
    const live = await follow(box, parent);
    expect((await box.uwf(["thread", "run", parent], withKit())).code).toBe(0);
    expect((await live.over).code).toBe(0);
    const { children } = await box.json<{ readonly children: readonly { readonly thread: string }[] }>([
      "thread",
      "show",
      parent,
    ]);
    const child = children[0]?.thread;
    const long = live.lines().filter(({ event }) => event !== "running");
    expect(long.map(({ thread, event, outcome }) => [thread, event ?? outcome])).toEqual([
      [parent, "following"],
      [child, "started"],
      [child, "step"],
      [child, "ended"],
      [parent, "step"],
      [parent, "ended"],
    ]);
  });

  it("refuses a word that names no thread", async () => {
    const box = sandbox();
    for (const [text, code] of [
      ["01ARZ3NDEKTSV4RRFFQ69G5FAV", 3],
      ["0123", 3],
      ["latest", 3],
      ["what?", 2],
    ] as const) {
      const ran = await box.uwf(["thread", "live", text]);
      expect([text, ran.code, ran.stdout]).toEqual([text, code, ""]);
    }
  });

  it("takes latest for the newest thread of the current folder", async () => {
    const box = sandbox();
    const here = await startTurns(box);
    const elsewhere = join(box.cwd, "elsewhere");
    mkdirSync(elsewhere);
    await box.json(["thread", "start", "turns", "-p", "x"], { cwd: elsewhere });
    const live = await follow(box, "latest");
    expect(live.lines()[0]).toMatchObject({ event: "following", thread: here, done: false });
    await box.uwf(["thread", "run", here, "--agent", zoo("valid")]);
    expect((await live.over).code).toBe(0);
  });

  it("warns where it cannot see what is below, and follows the thread itself", async () => {
    const box = sandbox();
    const thread = await startTurns(box);
    writeFileSync(join(box.root, "children.jsonl"), "what is this?\n");
    const live = await follow(box, thread);
    await step(box, thread);
    await step(box, thread);
    const { code, stderr } = await live.over;
    expect([code, stderr]).toEqual([0, expect.stringMatching(/^warning: .*children\.jsonl.*line 1.*\n$/)]);
  });

  it("fails when its thread can no longer be read", async () => {
    const box = sandbox();
    const thread = await startTurns(box);
    const live = await follow(box, thread);
    writeFileSync(join(box.root, "threads.yaml"), "garbage\n");
    // Something happens to the thread.
    mkdirSync(join(box.root, "runs", thread, "more"));
    const { code, stderr } = await live.over;
    expect([code, stderr]).toEqual([7, expect.stringContaining("threads.yaml")]);
  });
});

describe("uwf thread live", () => {
  it("follows everything that runs in this storage root until it is interrupted", async () => {
    const box = sandbox();
    const [one, two] = [await startTurns(box), await startTurns(box)];
    const left = await startWorking(box, one);
    await killNow(left.uwf);
    const live = await follow(box);
    await live.told("the agent without its uwf is told", ({ event }) => event === "running");
    expect(live.lines()[1]).toMatchObject({ thread: one, uwf: null, run: { role: "maker" } });
    await step(box, two);
    await box.json(["thread", "kill", two]);
    await live.told("the kill is told", ({ event }) => event === "killed");
    live.process.kill("SIGINT");
    const { code, stderr } = await live.over;
    expect({ code, stderr }).toEqual({ code: 130, stderr: expect.stringContaining("error[INTERRUPTED]") });
    const rest = live.lines().filter(({ event, thread }) => event !== "running" || thread === one);
    expect(rest.map(({ thread, event, outcome }) => [thread, event ?? outcome])).toEqual([
      [null, "following"],
      [one, "running"],
      [one, "abandoned"],
      [two, "step"],
      [two, "killed"],
    ]);
    left.go();
  });

  it("ends with its reader", async () => {
    const box = sandbox();
    const thread = await startTurns(box);
    const live = await follow(box);
    live.process.stdout?.destroy();
    await box.json(["thread", "kill", thread]);
    expect((await live.over).code).toBe(0);
  });

  it("writes nothing, and follows a storage root that it may only read, or that is not there", async () => {
    const box = sandbox();
    const nowhere = await follow(box);
    nowhere.process.kill("SIGTERM");
    expect((await nowhere.over).code).toBe(143);
    expect(existsSync(box.root)).toBe(false);
    const thread = await startTurns(box);
    await startWorking(box, thread);
    const folders = ["", "locks", "logs", "runs", `runs/${thread}`, "cas"].map((name) =>
      join(box.root, name),
    );
    const state = () =>
      folders.map((folder) => [folder, statSync(folder).mtimeMs, readdirSync(folder).sort()] as const);
    const before = state();
    for (const folder of folders) chmodSync(folder, 0o555);
    const live = await follow(box, thread);
    await live.told("the run is told", ({ event }) => event === "running");
    live.process.kill("SIGINT");
    expect((await live.over).code).toBe(130);
    for (const folder of folders) chmodSync(folder, 0o755);
    expect(state()).toEqual(before);
  });

  it("prints YAML documents, or lines for people, with --format", async () => {
    const box = sandbox();
    const thread = await startTurns(box);
    const yaml = await follow(box, thread, "--format", "yaml");
    const words = await follow(box, thread, "--format", "text");
    await until("both follow", () => [yaml, words].every((live) => live.seen().includes("following")));
    await box.uwf(["thread", "run", thread, "--agent", zoo("valid")]);
    expect((await yaml.over).code).toBe(0);
    expect((await words.over).code).toBe(0);
    const documents = parseAllDocuments(yaml.seen()).map((document) => document.toJS() as Line);
    expect(whatOf(documents).filter((what) => what !== "running")).toEqual([
      "following",
      "step",
      "step",
      "ended",
    ]);
    const lines = words.seen().trimEnd().split("\n");
    const id = thread.slice(-4);
    expect(lines[0]).toMatch(new RegExp(`^\\S+Z {2}${id} {2}following this thread and those below it$`));
    expect(lines.join("\n")).toMatch(/maker recorded as [0-9A-Z]{13} in .*: text: made/);
    expect(lines.at(-1)).toMatch(new RegExp(`${id} {2}the thread has ended$`));
  });
});

const SCRIPT = "/usr/bin/script";

/** Writes to stderr and then waits for a file: its last line can be seen. */
const LOUD = `#!/bin/sh
printf 'first line\\nthe key is %s \\033[31mred\\033[0m\\033]0;title\\007 and \\033[2Jbold' "$MY_KEY" >&2
while [ ! -e '$GO' ]; do sleep 0.05; done
exit 3
`;

describe.skipIf(!existsSync(SCRIPT))("on a terminal, uwf thread live", () => {
  const UWF = resolve(import.meta.dirname, "../../bin/uwf");

  it("shows role and last line of what runs, cleaned, then each event on a line; ctrl-C ends it", async () => {
    const box = sandbox();
    const thread = await startTurns(box);
    const go = join(box.cwd, "go");
    const agent = box.write("loud.sh", LOUD.replace("$GO", go));
    chmodSync(agent, 0o755);
    const key = "sk-test-0123456789abcdef";
    box.write(join(box.root, ".env"), `MY_KEY=${key}\n`);
    const child = reap(
      spawn(SCRIPT, ["-qec", `stty cols 100; exec '${UWF}' thread live ${thread}`, "/dev/null"], {
        cwd: box.cwd,
        env: {
          PATH: `${dirname(process.execPath)}:/usr/bin:/bin`,
          HOME: box.home,
          SHELL: "/bin/sh",
          UWF_RUNTIME: "node",
          UNCAGED_WORKFLOW_STORAGE_ROOT: box.root,
        },
      }),
    );
    const over = ended(child);
    let seen = "";
    child.stdout?.on("data", (chunk: Buffer) => {
      seen += chunk.toString();
    });
    await until("nothing is running", () => seen.includes("nothing is running"));
    const stepping = box.uwf(["thread", "step", thread, "--agent", agent], { env: { MY_KEY: key } });
    await until("the last line is shown", () =>
      /maker.*the key is \[redacted:MY_KEY\] red and bold/.test(seen),
    );
    writeFileSync(go, "");
    expect((await stepping).code).toBe(6);
    await until("the failure is told", () => seen.includes("exited with 3"));
    child.stdin?.write("\u0003");
    expect((await over).code).toBe(130);
    expect(seen).not.toContain(key);
    expect(seen).not.toContain("first line");
    // Its own codes are colours, and those that take its last lines away.
    // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this looks for
    const codes = [...seen.matchAll(/\u001b[^a-zA-Z]*[a-zA-Z]/g)].map(([code]) => code);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this looks for
    expect(codes.filter((code) => !/^\u001b\[(\d*m|\d+A|J)$/.test(code))).toEqual([]);
    expect(seen.trimEnd()).toMatch(/hint: .*$/);
  });
});
