import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ThreadShowOutput } from "@uncaged/workflow-protocol";
import { beforeEach, describe, expect, it } from "vitest";
import { startGate } from "../support/gate.js";
import { ended, type Sandbox, sandbox, until } from "../support/uwf.js";
import { configure, mapYaml, parentYaml, startParent, starts, WORK, withKit } from "./support.js";

// Whoever looks at a thread that waits is told for what, and the command that leads on.

let box: Sandbox;

beforeEach(async () => {
  box = sandbox();
  await configure(box);
});

const step = (thread: string) => box.uwf(["thread", "step", thread], withKit());
const run = (thread: string) => box.uwf(["thread", "run", thread], withKit());
const shown = (thread: string) => box.json<ThreadShowOutput>(["thread", "show", thread]);
const seen = async (...args: readonly string[]): Promise<string> =>
  (await box.uwf([...args, "--format", "text"])).stdout;
const children = async (thread: string) => (await shown(thread)).children.map((child) => child.thread);
const gate = (name: string) =>
  WORK.replace("name: work", `name: ${name}`).replace("capabilities", "agent: human\n    capabilities");

/** A map whose items are questions. */
async function startQuestions(count: number): Promise<string> {
  await box.json(["workflow", "put", box.write("gate.yaml", gate("gate"))]);
  writeFileSync(join(box.cwd, "items"), Array.from({ length: count }, (_, at) => `item-${at}`).join(", "));
  const thread = await startParent(box, mapYaml(`{ workflow: gate, each: planner.items, jobs: ${count} }`));
  await step(thread);
  expect((await step(thread)).code).toBe(9);
  return thread;
}

describe("a thread that waits for a child which asks a person", () => {
  it("names the command that shows the question: as a hint, and in show", async () => {
    await box.json(["workflow", "put", box.write("gate.yaml", gate("gate"))]);
    await box.json([
      "workflow",
      "put",
      box.write("m.yaml", parentYaml("{ workflow: gate }", { name: "middle" })),
    ]);
    const top = await startParent(box, parentYaml("{ workflow: middle }"));
    const held = await step(top);
    const [middle = ""] = await children(top);
    const [asked = ""] = await children(middle);
    expect(held.stderr).toContain(
      `thread ${asked} waits for an answer as worker: \`uwf thread answer ${asked} --show\``,
    );
    // Also when nothing has changed since.
    expect((await step(top)).stderr).toContain(`\`uwf thread answer ${asked} --show\``);
    const text = await seen("thread", "show", top);
    expect(text).toMatch(new RegExp(`because +${asked.slice(-4)} waits for an answer as worker`));
    expect(text).toContain(`next: uwf thread answer ${asked.slice(-4)} --show`);
    expect(await seen("thread", "list", "--held")).toMatch(
      new RegExp(`${asked.slice(-4)} .* ${middle.slice(-4)} lead `),
    );
  });

  it("leads from one answer to the next question of the tree, then to the thread above", async () => {
    const top = await startQuestions(2);
    const [one = "", two = ""] = await children(top);
    const inbox = await seen("thread", "list", "--held");
    expect(inbox).toContain(`${top.slice(-4)} lead 1`);
    expect(inbox).toContain(`${top.slice(-4)} lead 2`);
    // What they are asked is the same: it is the item that tells them apart.
    expect(inbox).toMatch(new RegExp(`${one.slice(-4)} .* item-0: Do the work`));
    expect(inbox).toMatch(new RegExp(`${two.slice(-4)} .* item-1: Do the work`));
    const question = await seen("thread", "answer", two, "--show");
    expect(question).toMatch(/^## Your part: item 2 of 2\n\n```yaml\nitem-1\n```$/m);
    expect(await seen("thread", "show", two)).toMatch(/^task +Have it done\nitem +2 of 2: item-1$/m);
    expect(await seen("thread", "list")).toMatch(new RegExp(`${two.slice(-4)} .* item 2 of 2: item-1`));
    const shownTop = await seen("thread", "show", top);
    expect(shownTop).toMatch(
      new RegExp(
        `^children +${one.slice(-4)} gate as lead 1: waits for an answer: Do the work\n +${two.slice(-4)} gate as lead 2: `,
        "m",
      ),
    );
    const first = await seen("thread", "answer", one, "--field", "note=yes");
    expect(first).toContain("1 question in the same tree is open");
    expect(first).toContain(`next: uwf thread answer ${two.slice(-4)} --show`);
    const last = await seen("thread", "answer", two, "--field", "note=yes");
    expect(last).toContain(`thread ${top.slice(-4)}, which has started it, goes on from there`);
    expect(last).toContain(`next: uwf thread run ${top.slice(-4)}`);
    expect((await run(top)).code).toBe(0);
  });

  it("says where a person is asked, if an answer is given to the parent", async () => {
    const top = await startQuestions(1);
    const [asked = ""] = await children(top);
    for (const words of [["--show"], ["--field", "note"], ["--field", "note=yes"]]) {
      const ran = await box.uwf(["thread", "answer", top, ...words]);
      expect(ran.code).toBe(4);
      expect(ran.stderr).toContain("error[NOT_ASKED]");
      expect(ran.stderr).toContain("another workflow plays lead, in a thread below it");
      expect(ran.stderr).toContain(`\`uwf thread answer ${asked} --show\``);
    }
  });
});

describe("a thread whose child workflow does not exist", () => {
  it("prints how it goes on once its workflow is corrected, and goes on", async () => {
    const top = await startParent(box, parentYaml("{ workflow: wrok }"));
    const failed = await step(top);
    expect(failed.stderr).toContain("This thread keeps its version of parent");
    const command = /`uwf (thread fork \S+ --workflow parent)`/.exec(failed.stderr)?.[1] ?? "";
    await box.json(["workflow", "put", box.write("p.yaml", parentYaml())]);
    const { thread } = await box.json(command.split(" "));
    expect((await step(thread)).code).toBe(0);
  });
});

describe("answer --show", () => {
  it("ends with a command that is an answer as it stands", async () => {
    const thread = await startGate(box);
    await box.json(["thread", "answer", thread, "--take-over", "--field", "text=mine"]);
    const { stdout } = await box.uwf(["thread", "answer", thread, "--show"]);
    const command = /^To answer:\n\n {4}uwf (thread answer .*)$/m.exec(stdout)?.[1] ?? "";
    expect(command).toContain("--field approved=");
    expect((await box.uwf(command.split(" "))).code).toBe(0);
  });
});

describe("a thread at the limit of the thread above it", () => {
  const startLimited = async (): Promise<{ readonly top: string; readonly child: string }> => {
    writeFileSync(join(box.cwd, "items"), "item-0, item-1");
    await box.json([
      "workflow",
      "put",
      box.write("m.yaml", mapYaml("{ workflow: work, each: planner.items }")),
    ]);
    const { thread: top } = await box.json(["thread", "start", "map", "-p", "Ship it", "--max-steps", "2"]);
    expect((await run(top)).code).toBe(9);
    const [, child = ""] = await children(top);
    return { top, child };
  };

  it("names that thread and the command that raises its limit, wherever it is looked at", async () => {
    const { top, child } = await startLimited();
    const raise = (id: (thread: string) => string) => `uwf thread limit ${id(top)} --max-steps 4`;
    expect((await step(top)).stderr).toContain(
      `thread ${child} is at the limit of thread ${top}: \`${raise(String)}\``,
    );
    expect((await step(child)).stderr).toContain(raise(String));
    expect((await shown(child)).held).toMatchObject({
      for: "limit",
      limit: { of: top, limit: "maxSteps", max: 2 },
    });
    const short = (id: string): string => id.slice(-4);
    for (const thread of [child, top])
      expect(await seen("thread", "show", thread)).toContain(`next: ${raise(short)}`);
    for (const option of ["--held", "--tree"])
      expect(await seen("thread", "list", option)).toContain(`at the limit of ${short(top)}`);
  });

  it("warns of that limit when it gets one of its own, and goes on when the other is raised", async () => {
    const { top, child } = await startLimited();
    const ran = await box.uwf(["thread", "limit", child, "--max-steps", "9"]);
    expect(ran.code).toBe(0);
    expect(ran.stderr).toContain(`it is at the limit of thread ${top}, which stays`);
    expect(await seen("thread", "limit", top, "--max-steps", "2")).toContain("--max-steps 4");
    expect(await seen("thread", "limit", top, "--max-steps", "4")).toContain("next: uwf thread run");
    expect((await run(top)).code).toBe(0);
  });
});

describe("a thread that is paused while it asks a person", () => {
  it("still shows the question, and resume leads to it", async () => {
    const thread = await startGate(box);
    await box.json(["thread", "answer", thread, "--take-over", "--field", "text=mine"]);
    expect((await step(thread)).code).toBe(9);
    await box.json(["thread", "pause", thread, "-m", "later"]);
    const text = await seen("thread", "show", thread);
    expect(text).toMatch(/asked +checker, as soon as the thread is resumed/);
    expect(text).toMatch(/question +Check it/);
    expect(text).toContain(`next: uwf thread resume ${thread.slice(-4)}`);
    const resumed = await seen("thread", "resume", thread);
    expect(resumed).toContain(" goes on");
    expect(resumed).toContain(`next: uwf thread answer ${thread.slice(-4)} --show`);
    expect(await seen("thread", "resume", thread)).toContain("was not paused");
  });

  it("counts the threads below it that have changed, and leads to the question of one of them", async () => {
    const top = await startQuestions(2);
    const [one = ""] = await children(top);
    await box.json(["thread", "pause", one]);
    expect(await seen("thread", "pause", top)).toContain("1 thread below it paused");
    const resumed = await seen("thread", "resume", top);
    expect(resumed).toContain("2 threads below it resumed");
    expect(resumed).toContain(`next: uwf thread answer ${one.slice(-4)} --show`);
  });
});

describe("a child that ended as failed", () => {
  it("is run again from its start by the command that the hint names, and its parent goes on", async () => {
    const failing = WORK.replace("worker: [{ role: $END", "worker: [{ role: $FAIL");
    await box.json(["workflow", "put", box.write("work.yaml", failing)]);
    const top = await startParent(box, parentYaml("{ workflow: work }", { fields: "" }));
    const failed = await step(top);
    expect(failed.code).toBe(6);
    const command = /`uwf (thread fork \S+ --instead-of \S+)`/.exec(failed.stderr)?.[1] ?? "";
    await box.json(["workflow", "put", box.write("work.yaml", WORK)]);
    const { thread } = await box.json([...command.split(" "), "--workflow", "work"]);
    expect(await shown(thread)).toMatchObject({ done: false });
    expect((await step(top)).code).toBe(0);
    expect(starts(box)).toHaveLength(2);
  });
});

describe("a thread whose child has failed", () => {
  it("ends with the hint of the child's run, in show too", async () => {
    writeFileSync(join(box.cwd, "fail"), "");
    const top = await startParent(box, parentYaml());
    const failed = await step(top);
    expect(failed.code).toBe(6);
    const hint = /^hint: (.*)$/m.exec(failed.stderr)?.[1] ?? "";
    expect(hint).not.toBe("");
    expect((await shown(top)).lastFailure).toMatchObject({ hint });
    expect((await seen("thread", "show", top)).replaceAll(/\n +/g, " ")).toContain(hint);
  });
});

describe("a child whose agent cannot be chosen", () => {
  it("says that --agent has to be given to the child", async () => {
    writeFileSync(join(box.root, "config.yaml"), "defaultAgent: null\n");
    const top = await startParent(box, parentYaml());
    const failed = await step(top);
    const [child = ""] = await children(top);
    expect(failed.stderr).toContain(
      `--agent does not reach child threads: give it to \`uwf thread step ${child}\``,
    );
  });
});

describe("a map that is interrupted", () => {
  it("starts no further child, and is not called failing", async () => {
    writeFileSync(join(box.cwd, "items"), "item-0, item-1, item-2");
    const top = await startParent(box, mapYaml("{ workflow: work, each: planner.items }"));
    await step(top);
    writeFileSync(join(box.cwd, "block-0"), "");
    const begun = starts(box).length;
    const working = box.start(["thread", "step", top], withKit());
    await until("the first worker works", () => starts(box).length > begun);
    working.kill("SIGINT");
    expect((await ended(working)).code).toBe(130);
    rmSync(join(box.cwd, "block-0"));
    expect(await children(top)).toHaveLength(1);
    expect(await seen("thread", "list", "--tree")).toContain(`${top.slice(-4)}  map: active`);
    expect(await seen("thread", "show", top)).toMatch(/state +active/);
    expect((await step(top)).code).toBe(0);
  });
});
