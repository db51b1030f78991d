import { readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ThreadListItem, ThreadShowOutput, ThreadStepsOutput } from "@uncaged/workflow-protocol";
import { beforeEach, describe, expect, it } from "vitest";
import { type Sandbox, sandbox, until } from "../support/uwf.js";
import { configure, mapYaml, startParent, starts, WORK, withKit } from "./support.js";

let box: Sandbox;

beforeEach(async () => {
  box = sandbox();
  await configure(box);
});

const items = (count: number): string => Array.from({ length: count }, (_, at) => `item-${at}`).join(", ");
const step = (thread: string) => box.uwf(["thread", "step", thread], withKit());
const show = (thread: string) => box.json<ThreadShowOutput>(["thread", "show", thread]);

/** A thread whose planner has given so many items. */
async function startMap(agent: string, count: number): Promise<string> {
  writeFileSync(join(box.cwd, "items"), items(count));
  const thread = await startParent(box, mapYaml(agent));
  const planned = await step(thread);
  expect(planned.code, planned.stderr).toBe(0);
  return thread;
}

async function lastStep(thread: string) {
  const { steps } = await box.json<ThreadStepsOutput>(["thread", "steps", thread]);
  const last = steps.at(-1);
  if (last === undefined || !("output" in last)) throw new Error("there is no step");
  return last;
}

describe("a map over a list", () => {
  it("is one step with the results in order, and a join node that names every child", async () => {
    const thread = await startMap("{ workflow: work, each: planner.items, jobs: 3 }", 4);
    const ran = await step(thread);
    expect(ran.code, ran.stderr).toBe(0);
    const { children } = await show(thread);
    expect(children.map(({ item }) => item).sort()).toEqual([0, 1, 2, 3]);
    const last = await lastStep(thread);
    const inOrder = [...children].sort((one, other) => (one.item ?? 0) - (other.item ?? 0));
    expect(last).toMatchObject({
      agent: "uwf-workflow work --each planner.items --jobs 3",
      output: {
        results: [0, 1, 2, 3].map((at) => ({ note: `done ${at}` })),
        ok: true,
        failed: 0,
        count: 4,
        threads: inOrder.map((child) => child.thread),
      },
    });
    const heads = await Promise.all(inOrder.map(async (child) => (await show(child.thread)).head));
    const joined = await box.json<{ readonly payload: unknown }>(["cas", "get", last.detail]);
    expect(joined.payload).toEqual({ children: heads.map((head) => ({ head, outcome: "end" })) });
    const detail = await box.json(["thread", "step-details", last.hash]);
    expect(JSON.stringify(detail)).toContain("done 3");
  });

  it("of no items is a result too", async () => {
    const thread = await startMap("{ workflow: work, each: planner.items }", 0);
    expect((await step(thread)).code).toBe(0);
    expect((await lastStep(thread)).output).toMatchObject({ results: [], ok: true, count: 0 });
  });

  it("goes on after failures: what has ended stays ended, nothing is repeated, the order is kept", async () => {
    const thread = await startMap("{ workflow: work, each: planner.items, jobs: 2 }", 5);
    for (const at of [1, 3]) writeFileSync(join(box.cwd, `fail-${at}`), "");
    const failed = await step(thread);
    expect(failed.code).toBe(6);
    expect(failed.stderr).toContain("exited with 3 as worker");
    const ended = (
      await box.json<readonly (ThreadListItem & { done: boolean })[]>(["thread", "list", "--all"])
    )
      .filter(({ done }) => done)
      .map((item) => item.thread);
    expect(ended).toHaveLength(3);
    rmSync(join(box.cwd, "fail-1"));
    expect((await step(thread)).code).toBe(6);
    rmSync(join(box.cwd, "fail-3"));
    expect((await step(thread)).code).toBe(0);
    expect((await lastStep(thread)).output).toMatchObject({
      results: [0, 1, 2, 3, 4].map((at) => ({ note: `done ${at}` })),
    });
    const runs = starts(box);
    for (const id of ended) expect(runs.filter((line) => line.startsWith(id))).toHaveLength(1);
    expect((await show(thread)).children).toHaveLength(5);
  });

  it("with partial: a killed child is null and counted; without, the step fails and says which", async () => {
    for (const partial of [true, false]) {
      const thread = await startMap(`{ workflow: work, each: planner.items, partial: ${partial} }`, 3);
      writeFileSync(join(box.cwd, "fail-1"), "");
      await step(thread);
      rmSync(join(box.cwd, "fail-1"));
      const child = (await show(thread)).children.find(({ item }) => item === 1)?.thread ?? "";
      await box.json(["thread", "kill", child]);
      const ran = await step(thread);
      expect(ran.code, ran.stderr).toBe(partial ? 0 : 6);
      if (!partial) expect(ran.stderr).toContain(`child thread ${child} was killed`);
      else
        expect((await lastStep(thread)).output).toMatchObject({
          results: [{ note: "done 0" }, null, { note: "done 2" }],
          ok: false,
          failed: 1,
          count: 3,
        });
    }
  });

  it("with gates inside: the parent waits for all of them, and each is answered by itself", async () => {
    const gate = WORK.replace("name: work", "name: gate").replace(
      "description: works",
      "description: works\n    agent: human",
    );
    await box.json(["workflow", "put", box.write("gate.yaml", gate)]);
    const thread = await startMap("{ workflow: gate, each: planner.items }", 3);
    expect((await step(thread)).code).toBe(9);
    const { held, children } = await show(thread);
    expect(held?.threads).toHaveLength(3);
    const inbox = await box.json<readonly ThreadListItem[]>(["thread", "list", "--held"]);
    expect(inbox).toHaveLength(4);
    for (const [at, { thread: child }] of children.entries()) {
      await box.json(["thread", "answer", child, "--field", `note=yes ${at}`]);
      expect((await step(thread)).code).toBe(at === 2 ? 0 : 9);
    }
    expect((await lastStep(thread)).output).toMatchObject({
      results: [{ note: "yes 0" }, { note: "yes 1" }, { note: "yes 2" }],
    });
  });

  it("that is paused while it works starts no worker of another item until it is resumed", async () => {
    const thread = await startMap("{ workflow: work, each: planner.items }", 3);
    writeFileSync(join(box.cwd, "block-0"), "");
    const working = step(thread);
    const begun = starts(box).length;
    await until("the first worker works", () => starts(box).length > begun);
    await box.json(["thread", "pause", thread, "-m", "wait for the release"]);
    rmSync(join(box.cwd, "block-0"));
    expect((await working).code).toBe(9);
    expect(starts(box)).toHaveLength(begun + 1);
    expect((await step(thread)).stderr).toContain("error[THREAD_PAUSED]");
    const { children } = await show(thread);
    type Held = { readonly held: { readonly question: string } };
    const held = await box.json<readonly Held[]>(["thread", "list", "--held"]);
    expect(held.map((item) => item.held.question)).toEqual(held.map(() => "wait for the release"));
    expect(held).toHaveLength(children.length);
    await box.json(["thread", "resume", thread]);
    expect((await step(thread)).code).toBe(0);
    expect(starts(box)).toHaveLength(begun + 3);
  });

  describe("whose items name workflows", () => {
    const NAMED = "items: { type: array, items: { properties: { workflow: { type: string } } } }";
    const ANY = "items: { type: array }";
    const GATE = WORK.replace("name: work", "name: gate").replace(
      "description: works",
      "description: works\n    agent: human",
    );
    const OPEN = GATE.replace("    agent: human\n", "");

    async function startNamed(agent: string, field: string, list: string): Promise<string> {
      writeFileSync(join(box.cwd, "items"), list);
      const yaml = mapYaml(agent).replace("items: { type: array, items: { type: string } }", field);
      const thread = await startParent(box, yaml.replace("    agent: null\n", ""));
      await box.json(["thread", "step", thread], withKit());
      return thread;
    }
    const workflows = async (thread: string): Promise<readonly (string | undefined)[]> => {
      const threads = (await show(thread)).children.map((child) => child.thread);
      const heads = await Promise.all(threads.map((id) => box.uwf(["thread", "read", id])));
      return heads.map(({ stdout }) => /workflow: (\w+)/.exec(stdout)?.[1]);
    };
    const stepNamed = (thread: string) =>
      box.uwf(["thread", "step", thread, "--agent", "lead=uwf-workflow --each planner.items"], withKit());

    it("and no workflow is fixed: each item is of its own, where the list's schema declares the field", async () => {
      await box.json(["workflow", "put", box.write("o.yaml", WORK.replace("name: work", "name: other"))]);
      const thread = await startNamed("null", NAMED, "{ workflow: other }, { workflow: work }");
      const ran = await stepNamed(thread);
      expect(ran.code, ran.stderr).toBe(0);
      expect(await workflows(thread)).toEqual(["other", "work"]);
      const undeclared = await startNamed("null", ANY, "{ workflow: other }");
      expect((await stepNamed(undeclared)).stderr).toContain("declares no field workflow");
    });

    it("that a reply has written as paths or hashes start nothing", async () => {
      const { hash } = await box.json<{ readonly hash: string }>([
        "workflow",
        "put",
        box.write("gate.yaml", GATE),
      ]);
      const file = box.write("open.yaml", OPEN);
      for (const named of [file, "./open.yaml", hash, hash.toLowerCase(), hash.slice(0, 6).toLowerCase()]) {
        const thread = await startNamed("null", NAMED, `{ workflow: "${named}" }`);
        const ran = await stepNamed(thread);
        expect([ran.code, ran.stdout]).toEqual([6, ""]);
        expect((await show(thread)).children).toEqual([]);
      }
    });

    it.each([NAMED, ANY])("do not get past the gate that the graph fixes (%s)", async (field) => {
      await box.json(["workflow", "put", box.write("gate.yaml", GATE)]);
      const file = box.write("open.yaml", OPEN);
      const list = `{ workflow: "${file}" }, { workflow: work }`;
      const thread = await startNamed("{ workflow: gate, each: planner.items, jobs: 2 }", field, list);
      expect((await step(thread)).code).toBe(9);
      expect(await workflows(thread)).toEqual(["gate", "gate"]);
    });

    it("are those of .workflows only as they were when the thread began", async () => {
      box.write(".workflows/mine.yaml", WORK.replace("name: work", "name: mine"));
      const mine = await startNamed("null", NAMED, "{ workflow: mine }");
      expect((await stepNamed(mine)).code).toBe(0);
      const agent = "{ workflow: gate, each: planner.items }";
      const fixed = await startNamed(agent, NAMED, "{}");
      box.write(".workflows/gate.yaml", OPEN);
      const refused = await step(fixed);
      expect(refused.code).toBe(6);
      expect(refused.stderr).toContain("has changed since thread");
      await box.json(["workflow", "put", box.write("gate.yaml", GATE)]);
      expect((await step(fixed)).code).toBe(9);
      expect(await workflows(fixed)).toEqual(["gate"]);
    });
  });

  it("says what is wrong with a list, before any child is started", async () => {
    const thread = await startMap("{ workflow: work, each: planner.items }", 101);
    const ran = await step(thread);
    expect(ran.code).toBe(6);
    expect(ran.stderr).toContain("101 items, more than 100");
    expect(readdirSync(box.root)).not.toContain("children.jsonl");
  });
});

describe("the gate of a workflow file", () => {
  const checked = (agent: string) => box.uwf(["workflow", "put", box.write("m.yaml", mapYaml(agent))]);

  it.each([
    ["{ workflow: work, each: planner.nothing.else }", 0],
    ["{ workflow: work, each: nobody.items }", "there is no role nobody"],
    ["{ workflow: work, each: planner }", "each must be a role and a field of it"],
    ["{ workflow: work, each: lead.ok }", "of type boolean in the meta of lead"],
    ["{ workflow: work, jobs: 0 }", "a whole number from 1 to 32"],
    ["{ workflow: ./work.yaml }", "workflow must be the name of one, or a hash"],
    ["{ workflow: work, command: rm }", 'unknown key "command"'],
    ["{ workflow: work, prompt: all }", "prompt must be role or task"],
    ["{ workflow: work, output: '' }", "output"],
  ] as const)("%s", async (agent, expected) => {
    const ran = await checked(agent);
    if (expected === 0) expect(ran.code, ran.stderr).toBe(0);
    else {
      expect(ran.code).toBe(4);
      expect(ran.stderr).toContain(expected);
    }
  });
});
