import { appendFileSync, chmodSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import type { ThreadListItem, ThreadShowOutput, ThreadStepsOutput } from "@uncaged/workflow-protocol";
import { beforeEach, describe, expect, it } from "vitest";
import { type Ran, RUNTIMES, type Sandbox, sandbox, WHOLE } from "../support/uwf.js";
import { configure, parentYaml, startParent, starts, WORK, withKit } from "./support.js";

let box: Sandbox;

beforeEach(async () => {
  box = sandbox();
  await configure(box);
});

const step = (thread: string, on = box) => on.uwf(["thread", "step", thread], withKit());
const show = (thread: string) => box.json<ThreadShowOutput>(["thread", "show", thread]);
const list = () =>
  box.json<readonly (ThreadListItem & { readonly done: boolean })[]>(["thread", "list", "--all"]);

async function outputOf(thread: string): Promise<unknown> {
  const { steps } = await box.json<ThreadStepsOutput>(["thread", "steps", thread]);
  const last = steps.at(-1);
  return last !== undefined && "output" in last ? last.output : null;
}

async function childOf(thread: string): Promise<string> {
  const [child] = (await show(thread)).children;
  return child?.thread ?? "";
}

describe("a role that a workflow plays", () => {
  it.each(RUNTIMES)("is one step: a child thread from its start to its end (%s)", async (runtime) => {
    const other = sandbox(runtime);
    await configure(other);
    const thread = await startParent(other, parentYaml());
    const ran = await step(thread, other);
    expect(ran.code, ran.stderr).toBe(0);
    expect(JSON.parse(ran.stdout)).toMatchObject({ thread, done: true, reason: "end" });
    expect(starts(other)).toHaveLength(1);
    const shown = await other.json<ThreadShowOutput>(["thread", "show", thread]);
    expect(shown.children).toEqual([{ thread: expect.any(String), role: "lead", item: null }]);
    const child = shown.children[0]?.thread ?? "";
    expect(await other.json(["thread", "show", child])).toMatchObject({
      done: true,
      parent: { thread, role: "lead", item: null },
      children: [],
    });
    const { steps } = await other.json<ThreadStepsOutput>(["thread", "steps", thread]);
    const { head } = await other.json(["thread", "show", child]);
    expect(steps.at(-1)).toMatchObject({
      role: "lead",
      output: { note: "done", ok: true, reason: "end", thread: child, steps: 1 },
      detail: head,
      agent: "uwf-workflow work",
    });
  });

  it("gives its child the role's texts, the task and the results so far, or with prompt: task the task", async () => {
    const thread = await startParent(box, parentYaml());
    await step(thread);
    const [start] = (await box.json<ThreadStepsOutput>(["thread", "steps", await childOf(thread)])).steps;
    expect(start).toMatchObject({
      prompt: "# Goal\n\nHave it done\n\n# This is part of the task\n\nShip it",
    });
    const other = await startParent(box, parentYaml("{ workflow: work, prompt: task }", { name: "plain" }));
    await step(other);
    const [same] = (await box.json<ThreadStepsOutput>(["thread", "steps", await childOf(other)])).steps;
    expect(same).toMatchObject({ prompt: "Ship it" });
  });

  it("fails with the child's sentence, and the next step goes on with the same child", async () => {
    const thread = await startParent(box, parentYaml());
    writeFileSync(join(box.cwd, "fail"), "");
    const failed = await step(thread);
    const child = await childOf(thread);
    expect(failed.code).toBe(6);
    expect(failed.stderr).toContain(`child thread ${child}:`);
    expect(failed.stderr).toContain("exited with 3 as worker");
    rmSync(join(box.cwd, "fail"));
    expect((await step(thread)).code).toBe(0);
    expect((await show(thread)).children).toEqual([{ thread: child, role: "lead", item: null }]);
    expect(starts(box)).toEqual([`${child} worker`, `${child} worker`]);
  });

  it("takes a child that another command has brought to its end", async () => {
    const thread = await startParent(box, parentYaml());
    writeFileSync(join(box.cwd, "fail"), "");
    await step(thread);
    rmSync(join(box.cwd, "fail"));
    const child = await childOf(thread);
    expect((await box.uwf(["thread", "run", child], withKit())).code).toBe(0);
    const before = starts(box).length;
    expect((await step(thread)).code).toBe(0);
    expect(starts(box)).toHaveLength(before);
    expect(await outputOf(thread)).toMatchObject({ thread: child });
  });

  it("says what uwf knows of the child, whatever the child's output says", async () => {
    const lying = WORK.replace("name: work", "name: lying").replace(
      "note: { type: string }",
      "note: { type: string }, ok: {}, reason: {}, thread: {}, steps: {}",
    );
    await box.json(["workflow", "put", box.write("lying.yaml", lying)]);
    const said = "{ note: done, ok: false, reason: refused, thread: none, steps: 99 }";
    const agent = box.write(
      "liar.sh",
      `#!/bin/sh\nprintf -- '---\\n${said}\\n---\\n' | uwf-agent-write --agent liar "$1" "$2"\n`,
    );
    chmodSync(agent, 0o755);
    const config = join(box.root, "config.yaml");
    writeFileSync(config, readFileSync(config, "utf8").replaceAll("worker.sh", "liar.sh"));
    const yaml = parentYaml("{ workflow: lying }");
    const [, facts] = /note: { type: string }, (.*) }\n/.exec(yaml) ?? [];
    const referred = yaml
      .replace(`, ${facts}`, "")
      .replace(
        "required:",
        `allOf: [{ $ref: "#/$defs/f" }]\n      $defs: { f: { properties: { ${facts} } } }\n      required:`,
      );
    for (const written of [yaml, referred]) {
      const thread = await startParent(box, written);
      const ran = await step(thread);
      expect(ran.code, ran.stderr).toBe(0);
      const known = { ok: true, reason: "end", thread: await childOf(thread), steps: 1 };
      expect(await outputOf(thread)).toEqual({ note: "done", ...known });
    }
  });

  it("has a child of its own in a fork", async () => {
    const thread = await startParent(box, parentYaml());
    const { head } = await show(thread);
    await step(thread);
    const fork = await box.json(["thread", "fork", head]);
    await step(fork.thread);
    expect(await childOf(fork.thread)).not.toBe(await childOf(thread));
    expect(starts(box)).toHaveLength(2);
  });

  it("takes a child that was killed or failed as a result if its meta declares ok", async () => {
    const thread = await startParent(
      box,
      parentYaml("{ workflow: work }", { fields: "ok: { type: boolean }, reason: { type: string }" }).replace(
        "required: [note]",
        "required: [ok]",
      ),
    );
    writeFileSync(join(box.cwd, "fail"), "");
    await step(thread);
    const child = await childOf(thread);
    await box.json(["thread", "kill", child]);
    const ran = await step(thread);
    expect(ran.code, ran.stderr).toBe(0);
    expect(await outputOf(thread)).toEqual({ ok: false, reason: "killed" });
  });

  it("else fails, for good, and never starts another one behind a person's back", async () => {
    const thread = await startParent(
      box,
      parentYaml("{ workflow: work }", { fields: "thread: { type: string }" }),
    );
    writeFileSync(join(box.cwd, "fail"), "");
    await step(thread);
    rmSync(join(box.cwd, "fail"));
    const child = await childOf(thread);
    await box.json(["thread", "kill", child]);
    for (const _ of [1, 2]) {
      const ran = await step(thread);
      expect(ran.code).toBe(6);
      expect(ran.stderr).toContain(`child thread ${child} was killed`);
      expect(ran.stderr).toContain(`uwf thread read ${child}`);
    }
    expect(starts(box)).toHaveLength(1);
    expect((await show(thread)).children).toHaveLength(1);
  });

  it("maps the child's history with output, and repeats nothing when that does not fit", async () => {
    const agent = `{ workflow: work, output: '{"note": "was " & steps[0].output.note}' }`;
    const thread = await startParent(box, parentYaml(agent));
    expect((await step(thread)).code).toBe(0);
    expect(await outputOf(thread)).toMatchObject({ note: "was done" });
    const wrong = await startParent(
      box,
      parentYaml("{ workflow: work, output: 'steps[0].output.note' }", { name: "wrong" }),
    );
    for (const _ of [1, 2]) expect((await step(wrong)).stderr).toContain("gave no object");
    expect(starts(box)).toHaveLength(2);
  });
});

describe("a note for a thread whose role a workflow plays", () => {
  it("waits for the next agent of the thread: its child would not hear it", async () => {
    const yaml = parentYaml()
      .replace(
        / {2}lead:[\s\S]*?(?=conditions)/,
        (lead) => lead + lead.replace("lead:", "closer:").replace(/ {4}agent: .*\n/, ""),
      )
      .replace("lead: [{ role: $END", "closer: [{ role: $END, condition: null }]\n  lead: [{ role: closer");
    const thread = await startParent(box, yaml);
    await box.json(["thread", "note", thread, "mind the title"]);
    expect((await step(thread)).code).toBe(0);
    expect((await show(thread)).notes).toMatchObject([{ text: "mind the title" }]);
    const listener = box.write("listener.sh", `#!/bin/sh\ncp "$UWF_NOTES" heard; exec ./worker.sh "$@"\n`);
    chmodSync(listener, 0o755);
    const ran = await box.uwf(["thread", "step", thread, "--agent", listener], withKit());
    expect(ran.code, ran.stderr).toBe(0);
    expect(readFileSync(join(box.cwd, "heard"), "utf8")).toContain("mind the title");
  });
});

describe("waiting", () => {
  const GATE = WORK.replace("name: work", "name: gate").replace(
    "description: works",
    "description: works\n    agent: human",
  );

  it("is the child's: the parent is held until a person has answered there", async () => {
    await box.json(["workflow", "put", box.write("gate.yaml", GATE)]);
    const thread = await startParent(box, parentYaml("{ workflow: gate }"));
    const ran = await step(thread);
    const child = await childOf(thread);
    expect(ran).toMatchObject({ code: 9, stdout: "" });
    expect(ran.stderr).toContain("WAITING_FOR_THREADS");
    expect(ran.stderr).toContain(child);
    expect((await show(thread)).held).toMatchObject({ for: "threads", role: "lead", threads: [child] });
    const refused = await box.uwf(["thread", "answer", thread, "--field", "note=x"]);
    expect(refused.code).toBe(4);
    expect(refused.stderr).toContain(`uwf thread answer ${child} --show`);
    // Nothing is started as long as nothing has changed.
    expect((await step(thread)).code).toBe(9);
    await box.json(["thread", "answer", child, "--field", "note=shipped"]);
    expect((await step(thread)).code).toBe(0);
    expect(await outputOf(thread)).toMatchObject({ note: "shipped" });
    expect(starts(box)).toEqual([]);
  });

  it("of a tree is drawn by list --tree", async () => {
    await box.json(["workflow", "put", box.write("gate.yaml", GATE)]);
    const thread = await startParent(box, parentYaml("{ workflow: gate }"));
    await step(thread);
    const child = await childOf(thread);
    const drawn = (await box.uwf(["thread", "list", "--tree"])).stdout;
    expect(drawn).toBe(
      `${thread}  parent: waits for ${child}\n└─ ${child}  gate as lead: waits for an answer: Do the work\n`,
    );
    const [tree] = await box.json<readonly unknown[]>(["thread", "list", "--tree", "--format", "json"]);
    expect(tree).toMatchObject({ thread, children: [{ thread: child, role: "lead", state: "held" }] });
  });

  it("pause and resume go down", async () => {
    const thread = await startParent(box, parentYaml());
    writeFileSync(join(box.cwd, "fail"), "");
    await step(thread);
    const child = await childOf(thread);
    expect(await box.json(["thread", "pause", thread, "-m", "later"])).toEqual({
      thread,
      paused: true,
      children: [child],
      running: null,
    });
    expect((await show(child)).held).toMatchObject({ for: "resume", question: "later" });
    expect(await box.json(["thread", "resume", thread])).toMatchObject({ paused: false, children: [child] });
    expect((await show(child)).held).toBeNull();
  });
});

describe("the end of a parent", () => {
  async function withActiveChild(): Promise<readonly [string, string]> {
    const thread = await startParent(box, parentYaml());
    writeFileSync(join(box.cwd, "fail"), "");
    await step(thread);
    return [thread, await childOf(thread)];
  }

  it("kill ends the children too", async () => {
    const [thread, child] = await withActiveChild();
    expect(await box.json(["thread", "kill", thread])).toEqual({ thread, archived: true, children: [child] });
    expect((await list()).map(({ done }) => done)).toEqual([true, true]);
    expect((await box.uwf(["thread", "kill", thread])).code).toBe(8);
  });

  it("a second kill completes one that was cut short", async () => {
    const [thread, child] = await withActiveChild();
    const line = readFileSync(join(box.root, "children.jsonl"), "utf8");
    rmSync(join(box.root, "children.jsonl"));
    await box.json(["thread", "kill", thread]);
    writeFileSync(join(box.root, "children.jsonl"), line);
    const { findings } = await box
      .json<{ findings: readonly { check: string; hint?: string }[] }>(["doctor"])
      .catch(async () => JSON.parse((await box.uwf(["doctor"])).stdout));
    expect(JSON.stringify(findings)).toContain(`thread ${child} works for thread ${thread}, which has ended`);
    expect(await box.json(["thread", "kill", thread])).toEqual({ thread, archived: true, children: [child] });
  });

  it("no child of an ended parent is started, nor of one whose head has moved", async () => {
    const [thread, child] = await withActiveChild();
    const { head } = await show(thread);
    const start = (key: string): Promise<Ran> =>
      box.uwf(["thread", "start", "work", "-p", "x", "--parent", thread, "--key", key]);
    expect(JSON.parse((await start(`${head}/lead`)).stdout)).toMatchObject({ thread: child, existing: true });
    const other = head.startsWith("0") ? `1${head.slice(1)}` : `0${head.slice(1)}`;
    expect(await start(`${other}/lead`)).toMatchObject({ code: 75 });
    await box.json(["thread", "kill", thread]);
    expect(await start(`${head}/lead/3`)).toMatchObject({ code: 8 });
    expect(await start("nonsense")).toMatchObject({ code: 2 });
  });
});

describe("depth", () => {
  it("a workflow may call itself, until maxDepth", async () => {
    const thread = await startParent(box, parentYaml("{ workflow: parent }"));
    const ran = await step(thread);
    expect(ran.code).toBe(6);
    expect(ran.stderr).toContain("3 deep");
    expect((await list()).length).toBe(4);
    expect(starts(box)).toEqual([]);
    await box.json(["thread", "kill", thread]);
    expect((await list()).filter(({ done }) => !done)).toEqual([]);
  });

  it("two levels work, and usage counts the whole tree", async () => {
    await box.json([
      "workflow",
      "put",
      box.write("m.yaml", parentYaml("{ workflow: work }", { name: "middle" })),
    ]);
    const thread = await startParent(box, parentYaml("{ workflow: middle }"));
    expect((await step(thread)).code).toBe(0);
    const child = await childOf(thread);
    const usage = await box.json(["thread", "usage", thread]);
    const below = await box.json(["thread", "usage", child]);
    expect(usage).toMatchObject({ children: [{ thread: child, role: "lead" }] });
    // One agent that tells no tokens has run, in the innermost thread.
    expect((usage as unknown as typeof USAGE).total).toEqual((below as unknown as typeof USAGE).total);
    expect((usage as unknown as typeof USAGE).total.unknown).toEqual({ tokens: 1, cost: 1 });
    const read = await box.uwf(["thread", "read", thread, "--detail"]);
    expect(read.code).toBe(0);
  });
});

const USAGE = { total: { unknown: { tokens: 0, cost: 0 } } };

describe("an export of a tree", () => {
  it("has the children, and imports into an empty root, where it reads the same", async () => {
    const thread = await startParent(box, parentYaml());
    await step(thread);
    const child = await childOf(thread);
    const file = join(box.cwd, "tree.car");
    await box.json(["cas", "export", thread, "-o", file]);
    const other = sandbox();
    await other.json(["cas", "import", file]);
    for (const id of [thread, child]) {
      expect((await other.uwf(["thread", "read", id])).stdout).toBe(
        (await box.uwf(["thread", "read", id])).stdout,
      );
    }
    expect((await other.json<ThreadShowOutput>(["thread", "show", thread])).children).toEqual([
      { thread: child, role: "lead", item: null },
    ]);
    await other.json(["cas", "import", file]);
    expect(readFileSync(join(other.root, "children.jsonl"), "utf8").trim().split("\n")).toHaveLength(1);
  });
});

it("an export that names a parent and its child has each once, in either order", async () => {
  const thread = await startParent(box, parentYaml());
  await step(thread);
  const child = await childOf(thread);
  const exported = async (...names: readonly string[]) =>
    (await box.uwf(["cas", "export", ...names, "-o", "-"])).stdout;
  const whole = await exported(thread);
  expect((await exported(thread, child)) === whole).toBe(true);
  expect((await exported(child, thread)) === whole).toBe(true);
});

describe("children.jsonl", () => {
  it("a torn last line is skipped; anything else in it is damage that names the line", async () => {
    const thread = await startParent(box, parentYaml());
    await step(thread);
    const file = join(box.root, "children.jsonl");
    appendFileSync(file, '{"child":"01');
    expect((await show(thread)).children).toHaveLength(1);
    appendFileSync(file, "\n");
    const ran = await box.uwf(["thread", "kill", await startParent(box, parentYaml())]);
    expect(ran.code).toBe(7);
    expect(ran.stderr).toContain("line 2");
    // A step of a thread without children never reads it.
    const { thread: plain } = await box.json(["thread", "start", "work", "-p", "x"]);
    expect((await step(plain)).code).toBe(0);
  });
});

describe("a crash", () => {
  const PRELOAD = resolve(import.meta.dirname, "among.cjs");
  // Every call of all four processes: UWF_TEST_EVERY=1. They make some 350.
  const EVERY = Number(process.env.UWF_TEST_EVERY ?? 23);

  /** A step whose processes' changes of the file system are counted, and the process of one of them killed. */
  async function killedAt(
    at: number,
  ): Promise<{ readonly box: Sandbox; readonly thread: string; readonly file: string }> {
    const one = sandbox("node");
    await configure(one);
    const thread = await startParent(one, parentYaml());
    const file = join(one.cwd, "calls");
    const preloaded = {
      NODE_OPTIONS: `--require=${PRELOAD}`,
      UWF_TEST_CALLS: file,
      UWF_TEST_KILL_AT: String(at),
    };
    await one.uwf(["thread", "step", thread], { env: { ...withKit().env, ...preloaded } });
    return { box: one, thread, file };
  }

  it.skipIf(!WHOLE)(
    "of any of the four processes leaves one child, and repeats no start of a living agent (whole)",
    async () => {
      const calls = readFileSync((await killedAt(0)).file, "utf8").length;
      expect(calls).toBeGreaterThan(100);
      const env = { ...withKit().env, UWF_RUNTIME: RUNTIMES.at(-1) ?? "node" };
      for (let at = 1 + (EVERY >> 1); at <= calls; at += EVERY) {
        const { box: one, thread, file } = await killedAt(at);
        let last: Pick<Ran, "code" | "stderr"> = { code: 1, stderr: "" };
        for (let turn = 0; turn < 20 && last.code !== 0 && last.code !== 8; turn += 1)
          last = await one.uwf(["thread", "step", thread, "--wait", "5"], { env });
        expect([0, 8], `${at}: ${last.stderr}`).toContain(last.code);
        const all = await one.prepare<readonly { readonly done: boolean }[]>(["thread", "list", "--all"]);
        expect(
          all.map(({ done }) => done),
          String(at),
        ).toEqual([true, true]);
        const killed = readFileSync(`${file}.killed`, "utf8");
        const most = killed.startsWith("uwf-agent") ? 2 : 1;
        expect(starts(one).length, `${at} ${killed}`).toBeLessThanOrEqual(most);
      }
    },
  );
});
