import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { type Sandbox, sandbox } from "../support/uwf.js";
import { configure, parentYaml, WORK, withKit } from "./support.js";

type Done = {
  readonly threads: readonly {
    readonly thread: string;
    readonly steps: number;
    readonly state: string;
    readonly exitCode: number;
    readonly error: { readonly message: string } | null;
  }[];
  readonly held: number;
  readonly busy: number;
  readonly left: number;
};

/** A person, then the worker. */
const GATE = WORK.replace("name: work", "name: gate")
  .replace(
    / {2}worker:[\s\S]*?(?=conditions)/,
    (worker) =>
      worker + worker.replace("worker:", "asker:").replace("    meta:", "    agent: human\n    meta:"),
  )
  .replace("$START: [{ role: worker", "asker: [{ role: worker, condition: null }]\n  $START: [{ role: asker");

let box: Sandbox;

beforeEach(async () => {
  box = sandbox();
  await configure(box);
  for (const [name, yaml] of [
    ["work", WORK],
    ["gate", GATE],
    ["parent", parentYaml("{ workflow: gate }")],
  ] as const)
    await box.json(["workflow", "put", box.write(`${name}.yaml`, yaml)]);
});

const start = async (workflow: string): Promise<string> =>
  (await box.json(["thread", "start", workflow, "-p", "Do it"])).thread;

const all = (...words: readonly string[]) => box.uwf(["thread", "run", "--all", ...words], withKit());

const runsIn = async (): Promise<number> =>
  (await box.json<readonly { readonly role?: string }[]>(["log"])).filter(({ role }) => role !== undefined)
    .length;

describe("thread run --all", () => {
  it("takes every thread to its end", async () => {
    const threads: string[] = [];
    for (let count = 0; count < 12; count += 1) threads.push(await start("work"));
    const ran = await all("--jobs", "2");
    expect(ran.code).toBe(0);
    const done: Done = JSON.parse(ran.stdout);
    expect(done.threads.map(({ thread }) => thread).sort()).toEqual([...threads].sort());
    expect(new Set(done.threads.map(({ state, steps }) => `${state} ${steps}`))).toEqual(
      new Set(["ended 1"]),
    );
    expect(await box.json(["thread", "list"])).toEqual([]);
    expect(JSON.parse((await all()).stdout)).toEqual({ threads: [], held: 0, busy: 0, left: 0 });
  });

  it("passes over those that wait, and starts nothing for them", async () => {
    await start("gate");
    await start("parent");
    await all();
    const before = await runsIn();
    const ran = await all();
    expect(ran.code).toBe(0);
    expect(JSON.parse(ran.stdout)).toEqual({ threads: [], held: 3, busy: 0, left: 0 });
    expect(await runsIn()).toBe(before);
  });

  it("takes children before their parents", async () => {
    const parent = await start("parent");
    await all();
    const [, child = ""] = (await box.json<readonly { thread: string }[]>(["thread", "list"]))
      .map(({ thread }) => thread)
      .sort((a) => (a === parent ? -1 : 1));
    await box.json(["thread", "answer", child, "--field", "note=fine"]);
    const ran = await all("--jobs", "4");
    const done: Done = JSON.parse(ran.stdout);
    expect(done.threads.map(({ thread, state }) => [thread, state])).toEqual([
      [child, "ended"],
      [parent, "ended"],
    ]);
    expect(ran.code).toBe(0);
  });

  it("goes on after one that fails, and exits as it did", async () => {
    const wrong = await start("work");
    const right = await start("work");
    await box.json(["thread", "pause", right]);
    expect((await all("--agent", "/bin/false")).code).toBe(6);
    await box.json(["thread", "resume", right]);
    const ran = await all("--agent", "/bin/false", "--max-steps", "1");
    const done: Done = JSON.parse(ran.stdout);
    expect(done.threads.map(({ thread, state, exitCode }) => [thread, state, exitCode])).toEqual([
      [wrong, "failed", 6],
      [right, "failed", 6],
    ]);
    expect(done.threads[0]?.error?.message).toContain("exit");
    expect((await all("--workflow", "work")).code).toBe(0);
  });

  it.each([
    ["whose agent is not there", "no-such-program", 4, "AGENT_NOT_FOUND"],
    ["whose agent's interpreter is not there", `sh -c "exit 127"`, 6, "AGENT_FAILED"],
    ["that lets no agent write", `sh -c "exit 74"`, 74, "AGENT_IO_FAILED"],
  ])(
    "ends at the first thread on a machine %s, and says how many are left",
    async (_what, agent, exit, code) => {
      const threads: string[] = [];
      for (let count = 0; count < 4; count += 1) threads.push(await start("work"));
      const ran = await all("--quiet", "--agent", agent);
      expect([ran.code, ran.stderr]).toEqual([exit, expect.stringContaining(`error[${code}]`)]);
      expect(ran.stderr).toContain("3 threads are left");
      const done: Done = JSON.parse(ran.stdout);
      expect(done).toMatchObject({
        threads: [{ thread: threads[0], steps: 0, state: "failed", exitCode: exit }],
        left: 3,
      });
      expect((await all()).code).toBe(0);
    },
  );

  it("shows a person what each thread is now, as the list does", async () => {
    const FAILS = WORK.replace("name: work", "name: fails").replace("role: $END", "role: $FAIL");
    await box.json(["workflow", "put", box.write("fails.yaml", FAILS)]);
    const [failed, ended, damaged] = [await start("fails"), await start("work"), await start("work")];
    box.write(join(box.root, "runs", damaged, "limits.json"), "{");
    const states = async (...words: readonly string[]): Promise<readonly (string | undefined)[]> => {
      const { stdout } = await box.uwf(["thread", ...words, "--format", "text"], withKit());
      const wordIn = (thread: string) =>
        new RegExp(`^${thread.slice(-4)} .*?\\b(\\w+ed|\\w+ing|active)\\b`, "m").exec(stdout);
      return [failed, ended, damaged].map((thread) => wordIn(thread)?.[1]);
    };
    const shown = await states("run", "--all", "--quiet");
    expect(shown).toEqual(["failed", "ended", "active"]);
    expect(await states("list", "--all")).toEqual(shown);
  });

  it("goes on after a thread whose own files are damaged", async () => {
    const [damaged, right] = [await start("work"), await start("work")];
    box.write(join(box.root, "runs", damaged, "limits.json"), "{");
    const ran = await all();
    expect(ran.code).toBe(7);
    const done: Done = JSON.parse(ran.stdout);
    expect(done.threads.map(({ thread, state }) => [thread, state])).toEqual([
      [damaged, "failed"],
      [right, "ended"],
    ]);
    expect(done.left).toBe(0);
  });

  it("goes on where three threads in a row have failed by what may be their own", async () => {
    for (let count = 0; count < 4; count += 1) await start("work");
    const done: Done = JSON.parse((await all("--agent", "/bin/false")).stdout);
    expect([done.threads.length, done.left]).toEqual([4, 0]);
  });

  it("says how many are left when its time is over", async () => {
    await start("work");
    await start("work");
    const ran = await all("--timeout", "0s");
    expect([ran.code, JSON.parse(ran.stdout)]).toEqual([0, { threads: [], held: 0, busy: 0, left: 2 }]);
  });

  it("names failures on stderr with --quiet too, and nothing else", async () => {
    const wrong = await start("work");
    const ran = await all("--agent", "/bin/false", "--quiet");
    expect(ran.stderr).toBe(`${wrong}: 0 steps, agent /bin/false exited with 1 as worker\n`);
    const right = await all("--quiet");
    expect([right.code, right.stderr]).toEqual([0, ""]);
    await start("work");
    expect((await all()).stderr).toContain(": 1 step, ended\n");
  });

  it("looks only at the workflow that is asked for", async () => {
    const other = await start("parent");
    const { head } = await box.json(["thread", "show", other]);
    const thread = await start("work");
    const done: Done = JSON.parse((await all("--workflow", "work")).stdout);
    expect(done.threads.map((item) => item.thread)).toEqual([thread]);
    expect((await box.json(["thread", "show", other])).head).toBe(head);
    expect((await all("--workflow", "worc")).code).toBe(3);
  });

  it.each([
    [["thread", "run"]],
    [["thread", "run", "--jobs", "2"]],
    [["thread", "run", "01KAJ5E8", "--all"]],
    [["thread", "run", "01KAJ5E8", "--jobs", "2"]],
    [["thread", "run", "--all", "--cwd", "."]],
    [["thread", "run", "--all", "--jobs", "0"]],
    [["thread", "run", "--all", "--agent", ""]],
  ])("refuses %j", async (words) => {
    const ran = await box.uwf(words);
    expect(ran.code).toBe(2);
    expect(ran.stdout).toBe("");
  });
});
