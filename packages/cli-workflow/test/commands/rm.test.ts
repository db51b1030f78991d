import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join, resolve } from "node:path";
import {
  type DoctorOutput,
  eventKindIn,
  type ThreadRmItem,
  type ThreadShowOutput,
} from "@uncaged/workflow-protocol";
import { beforeEach, describe, expect, it } from "vitest";
import { configure, parentYaml, startParent, withKit } from "../children/support.js";
import { begun } from "../support/begun.js";
import { RUNTIMES, type Sandbox, sandbox, WHOLE } from "../support/uwf.js";
import { startTurns, zoo } from "../support/workflows.js";

let box: Sandbox;
let file: string;

beforeEach(() => {
  box = sandbox();
  file = join(box.root, "removed.jsonl");
});

/** A thread that has ended, after a failed run. */
function endedThread(one = box, prompt?: string): Promise<string> {
  return begun(one, `ended ${prompt}`, async (at) => {
    const thread = await startTurns(at, prompt);
    const failing = at.prepare(["thread", "step", thread, "--agent", zoo("exit3")]);
    await expect(failing).rejects.toThrow("exited with 6");
    await at.prepare(["thread", "run", thread, "--agent", zoo("valid")]);
    return thread;
  });
}

async function killedThread(prompt?: string): Promise<string> {
  const thread = await startTurns(box, prompt);
  await box.prepare(["thread", "kill", thread]);
  return thread;
}

const rm = (...threads: readonly string[]) => box.json<ThreadRmItem>(["thread", "rm", ...threads]);
const show = (thread: string) => box.json<ThreadShowOutput>(["thread", "show", thread]);
const history = () => readFileSync(join(box.root, "history.jsonl"), "utf8");

async function listed(one = box, list = one.json): Promise<readonly string[]> {
  const items = await list<readonly { readonly thread: string }[]>(["thread", "list", "--all"]);
  return items.map(({ thread }) => thread);
}

function nodes(): readonly string[] {
  return readdirSync(join(box.root, "cas")).filter((name) => name.endsWith(".bin"));
}

const gc = () => box.json<{ readonly removed: number }>(["cas", "gc", "--yes", "--grace", "0s"]);

describe("uwf thread rm", () => {
  it.each(RUNTIMES)("removes ended threads from every list; history.jsonl stays (%s)", async (runtime) => {
    box = sandbox(runtime);
    const [thread, other] = [await endedThread(), await endedThread(box, "Another one")];
    const { head } = await show(thread);
    const before = history();
    expect(await rm(thread)).toEqual({ thread, head, removed: true, children: [] });
    expect(history()).toBe(before);
    expect(await listed()).toEqual([other]);
    expect((await box.uwf(["thread", "list", "--tree", "--all"])).stdout).not.toContain(thread);
    for (const args of [
      ["thread", "show", thread],
      ["thread", "show", thread.slice(0, 24)],
      ["thread", "show", thread.slice(-8).toLowerCase()],
      ["thread", "read", thread],
      ["thread", "steps", thread],
      ["thread", "step", thread],
      ["thread", "kill", thread],
      ["thread", "next", thread],
      ["thread", "usage", thread],
      ["cas", "export", thread, "-o", join(box.cwd, "export.car")],
    ]) {
      const ran = await box.uwf(args);
      expect([args, ran.code, ran.stdout]).toEqual([args, 3, ""]);
      expect(ran.stderr).toContain(`thread ${thread} was removed at 2`);
      expect(ran.stderr).toContain(`\`uwf thread fork ${head}\``);
    }
    expect((await box.json(["thread", "show", other])).done).toBe(true);
    expect((await box.json<DoctorOutput>(["doctor"])).findings).toContainEqual(
      expect.objectContaining({ check: "history.jsonl", message: expect.stringContaining("1 ended") }),
    );
  });

  it("tells the log, which still tells of the thread", async () => {
    const thread = await endedThread();
    await rm(thread);
    const ran = await box.uwf(["log", "--thread", thread]);
    const events = JSON.parse(ran.stdout).map(eventKindIn);
    const runs = ["agent", "failed", "agent", "step", "agent", "step"];
    expect(events).toEqual(["started", ...runs, "ended", "removed"]);
    expect(ran.stderr).toContain("was removed");
  });

  it("lets gc take everything of it, and nothing that another thread needs", async () => {
    const kept = await endedThread();
    const before = nodes();
    const thread = await endedThread(box, "Another one");
    const { head } = await show(thread);
    expect((await gc()).removed).toBe(0);
    expect(nodes().length).toBeGreaterThan(before.length);
    await rm(thread);
    await gc();
    expect([...nodes()].sort()).toEqual([...before].sort());
    expect((await box.uwf(["thread", "read", kept])).code).toBe(0);
    expect(await box.json(["cas", "verify"])).toMatchObject({ damaged: 0 });
    expect((await box.uwf(["thread", "fork", head])).code).toBe(3);
  });

  it("keeps what a fork has of it; a fork can also be made of it afterwards", async () => {
    const thread = await endedThread();
    const { steps } = await box.json(["thread", "steps", thread]);
    const fork = await box.json(["thread", "fork", steps[1]?.hash ?? ""]);
    const { head } = await rm(thread);
    const late = await box.json(["thread", "fork", head]);
    await gc();
    expect((await box.json(["thread", "run", fork.thread, "--agent", zoo("valid")])).done).toBe(true);
    expect((await box.json(["thread", "steps", late.thread])).steps).toHaveLength(3);
  });

  it("refuses a thread that is active, and then removes none of several", async () => {
    const [thread, active] = [await killedThread(), await startTurns(box)];
    const ran = await box.uwf(["thread", "rm", thread, active]);
    expect([ran.code, ran.stdout]).toEqual([4, ""]);
    expect(ran.stderr).toContain("error[NOT_REMOVABLE]");
    expect(ran.stderr).toContain(`\`uwf thread kill ${active}\``);
    expect(existsSync(file)).toBe(false);
    expect((await box.uwf(["thread", "rm", thread, "0123"])).code).toBe(3);
    expect((await box.uwf(["thread", "rm", thread.slice(0, 3)])).code).toBe(2);
    expect(await listed()).toEqual([thread, active]);
    await box.json(["thread", "kill", active]);
    const both = await box.json<readonly ThreadRmItem[]>(["thread", "rm", thread, active]);
    expect(both.map((item) => item.thread)).toEqual([thread, active]);
  });

  it("may be repeated: what is gone is gone", async () => {
    const thread = await killedThread();
    const first = await rm(thread);
    const lines = readFileSync(file, "utf8");
    for (const text of [thread, thread.slice(0, 20)]) {
      const ran = await box.uwf(["thread", "rm", text]);
      expect([ran.code, JSON.parse(ran.stdout)]).toEqual([0, first]);
      expect(ran.stderr).toBe(`warning: thread ${thread} was removed before\n`);
    }
    expect(readFileSync(file, "utf8")).toBe(lines);
  });

  it("tells a person what to do next", async () => {
    const thread = await killedThread();
    const { stdout } = await box.uwf(["thread", "rm", thread, "--format", "text"]);
    expect(stdout.replace(/\s+/g, " ")).toMatch(
      new RegExp(`^removed thread ${thread}; its head was [0-9A-Z]{13} next: uwf cas gc $`),
    );
  });

  it("does not take latest, which would be another thread each time", async () => {
    await killedThread();
    expect((await box.uwf(["thread", "rm", "latest"])).code).toBe(2);
  });

  it("gives its key free", async () => {
    const start = async () => {
      const args = ["thread", "start", "turns", "-p", "Do it", "--key", "issue-41"];
      return box.json<{ readonly thread: string; readonly existing: boolean }>(args);
    };
    await startTurns(box);
    const { thread } = await start();
    await box.json(["thread", "kill", thread]);
    expect(await start()).toMatchObject({ thread, existing: true });
    await rm(thread);
    const again = await start();
    expect(again).toMatchObject({ existing: false });
    expect(again.thread).not.toBe(thread);
    expect(again.thread.slice(10)).toBe(thread.slice(10));
  });

  it("offers ended threads to completion", async () => {
    const [thread, active] = [await killedThread(), await startTurns(box)];
    const offered = async (...words: readonly string[]) =>
      (await box.uwf(["__complete", "thread", "rm", ...words])).stdout;
    expect(await offered("")).toBe(`${thread}\n`);
    expect(await offered(active, thread.slice(0, 4))).toBe(`${thread}\n`);
  });

  it("completes an archive that a crash has cut short, so that nothing brings the thread back", async () => {
    const thread = await endedThread();
    const { completedAt, head, reason } = JSON.parse(history());
    mkdirSync(join(box.root, "runs", thread), { recursive: true });
    writeFileSync(
      join(box.root, "runs", thread, "ending"),
      `${JSON.stringify({ head, reason, completedAt })}\n`,
    );
    await rm(thread);
    expect(existsSync(join(box.root, "runs", thread))).toBe(false);
    expect((await box.uwf(["thread", "step", thread])).code).toBe(3);
    expect(await listed()).toEqual([]);
    const active = await startTurns(box);
    const at = await show(active);
    const ending = { head: at.head, reason: "killed", completedAt: Date.now() };
    writeFileSync(join(box.root, "runs", active, "ending"), `${JSON.stringify(ending)}\n`);
    await rm(active);
    expect(await listed()).toEqual([]);
    expect(readFileSync(join(box.root, "threads.yaml"), "utf8")).not.toContain(active);
  });
});

describe("a tree", () => {
  beforeEach(() => configure(box));

  const family = async () => {
    const parent = await startParent(box, parentYaml());
    await box.uwf(["thread", "run", parent], withKit());
    const child = (await show(parent)).children[0]?.thread ?? "";
    return { parent, child };
  };

  it("is removed as a whole, and a child only with its parent", async () => {
    const { parent, child } = await family();
    const refused = await box.uwf(["thread", "rm", child]);
    expect(refused.code).toBe(4);
    expect(refused.stderr).toContain(`\`uwf thread rm ${parent}\``);
    expect(await rm(parent)).toMatchObject({ thread: parent, children: [child] });
    expect(await listed()).toEqual([]);
    const both = await box.json<readonly ThreadRmItem[]>(["thread", "rm", child, parent]);
    expect(both.map(({ children }) => children)).toEqual([[], []]);
  });

  it("is removed whatever part of it is named, with its top", async () => {
    const { parent, child } = await family();
    const both = await box.json<readonly ThreadRmItem[]>(["thread", "rm", child, parent]);
    expect(both.map(({ thread, children }) => [thread, children])).toEqual([
      [child, []],
      [parent, [child]],
    ]);
  });

  it("stays while any of its threads is active", async () => {
    const parent = await startParent(box, parentYaml());
    writeFileSync(join(box.cwd, "fail"), "");
    expect((await box.uwf(["thread", "step", parent], withKit())).code).toBe(6);
    const child = (await show(parent)).children[0]?.thread ?? "";
    await box.json(["thread", "kill", child]);
    // The parent has not taken its result yet.
    expect((await box.uwf(["thread", "rm", child])).code).toBe(4);
    expect(await listed()).toEqual([parent, child]);
  });

  it("stays while a child has outlived its parent", async () => {
    const [parent, child] = [await killedThread(), await startTurns(box)];
    const { head } = await show(parent);
    const line = { child, parent, head, role: "maker", item: null, at: 1 };
    writeFileSync(join(box.root, "children.jsonl"), `${JSON.stringify(line)}\n`);
    const ran = await box.uwf(["thread", "rm", parent]);
    expect([ran.code, ran.stderr]).toEqual([4, expect.stringContaining(`thread ${child} cannot be removed`)]);
    await box.json(["thread", "kill", child]);
    await rm(parent);
    expect(await listed()).toEqual([]);
    expect((await box.json<DoctorOutput>(["doctor"])).findings).toContainEqual(
      expect.objectContaining({ check: "children", status: "ok" }),
    );
  });

  it.skipIf(!WHOLE)(
    "killed at any change of the file system, is there, or gone after the command has been repeated (whole)",
    async () => {
      const preload = resolve(import.meta.dirname, "../support/killed-at.cjs");
      box = sandbox("node");
      await configure(box);
      const { parent, child } = await family();
      const whole = join(box.cwd, "whole");
      cpSync(box.root, whole, { recursive: true });
      const before = history();
      let at = 1;
      for (let isKilled = true; isKilled; at += 1) {
        rmSync(box.root, { recursive: true });
        cpSync(whole, box.root, { recursive: true });
        const env = { NODE_OPTIONS: `--require=${preload}`, UWF_TEST_KILL_AT: String(at) };
        isKilled = (await box.uwf(["thread", "rm", parent], { env })).code !== 0;
        expect([[parent, child], [parent], []]).toContainEqual(await listed(box, box.prepare));
        await box.prepare(["thread", "rm", parent]);
        expect(await listed(box, box.prepare)).toEqual([]);
        expect(history()).toBe(before);
      }
      expect(at).toBeGreaterThan(5);
    },
    120_000,
  );
});

describe("a removed thread", () => {
  it("comes back by an import --restore, and can be removed again", async () => {
    const thread = await endedThread();
    const read = (await box.uwf(["thread", "read", thread])).stdout;
    const before = history();
    const exported = join(box.cwd, "export.car");
    await box.json(["cas", "export", thread, "-o", exported]);
    for (const lines of [2, 4]) {
      await rm(thread);
      await gc();
      await box.json(["cas", "import", exported, "--restore"]);
      expect(await listed()).toEqual([thread]);
      expect((await box.uwf(["thread", "read", thread])).stdout).toBe(read);
      expect(readFileSync(file, "utf8").trimEnd().split("\n")).toHaveLength(lines);
    }
    expect(history()).toBe(before);
    expect(await box.json(["cas", "verify"])).toMatchObject({ damaged: 0 });
  });

  it("comes back active by an import --restore from where it had not ended, and ends again", async () => {
    const thread = await startTurns(box);
    const exported = join(box.cwd, "export.car");
    await box.json(["cas", "export", thread, "-o", exported]);
    await box.json(["thread", "run", thread, "--agent", zoo("valid")]);
    await rm(thread);
    await box.json(["cas", "import", exported, "--restore"]);
    expect(await show(thread)).toMatchObject({ done: false });
    expect((await box.uwf(["thread", "rm", thread])).code).toBe(4);
    await box.json(["thread", "run", thread, "--agent", zoo("valid")]);
    expect(await show(thread)).toMatchObject({ done: true, reason: "end" });
    expect(await listed()).toEqual([thread]);
    await rm(thread);
    expect(await listed()).toEqual([]);
  });
});

describe("removed.jsonl", () => {
  it("a torn last line is passed over, and cut off by the next removal", async () => {
    const [first, second] = [await killedThread(), await killedThread("Another one")];
    await rm(first);
    appendFileSync(file, `{"thread":"${second}","completedAt":1`);
    expect(await listed()).toEqual([second]);
    await rm(second);
    expect(await listed()).toEqual([]);
    expect(readFileSync(file, "utf8").trimEnd().split("\n")).toHaveLength(2);
  });

  it.each([
    [
      "wrong",
      () => appendFileSync(file, `{"thread":"01ARZ3NDEKTSV4RRFFQ69G5FAV","completedAt":"x","at":1}\n`),
    ],
    ["foreign", () => appendFileSync(file, "what is this?\n")],
    ["a folder's link", () => [rmSync(file), symlinkSync(box.root, file)]],
    ["huge", () => truncateSync(file, 2 ** 31)],
  ])("%s: nothing is lost, gc removes nothing, and active threads go on and end", async (_, damage) => {
    const [removed, thread] = [await killedThread(), await killedThread("Another one")];
    const active = await startTurns(box, "A third one");
    await rm(removed);
    damage();
    const before = nodes();
    for (const args of [
      ["thread", "list", "--all"],
      ["thread", "show", removed],
      ["thread", "rm", thread],
      ["cas", "gc", "--yes", "--grace", "0s"],
    ]) {
      const ran = await box.uwf(args);
      expect([args, ran.code]).toEqual([args, 7]);
      expect(ran.stderr).toContain(file);
    }
    expect(nodes()).toEqual(before);
    const doctor = await box.uwf(["doctor"]);
    expect([doctor.code, doctor.stdout]).toEqual([7, expect.stringContaining(file)]);
    expect((await box.json(["thread", "run", active, "--agent", zoo("valid")])).done).toBe(true);
  });
});
