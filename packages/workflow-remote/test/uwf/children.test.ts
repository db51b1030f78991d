import { rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { configure, mapYaml, starts, WORK, withKit } from "../../../cli-workflow/test/children/support.js";
import { ended, reap, until } from "../../../cli-workflow/test/support/uwf.js";
import { BINARIES, type Server, startPostgres } from "../support/postgres.js";
import { HUMAN, remoteBox } from "./support.js";

const DRAIN = ["worker", "--until-idle"];
const ITEMS = 6;

/** A remote, and a map over items as a thread of it; every worker root knows the workflow of an item. */
async function mapBox(url: string, agent = "{ workflow: work, each: planner.items }") {
  const box = await remoteBox(url, mapYaml(agent));
  await configure(box);
  const list = Array.from({ length: ITEMS }, (_, at) => `item-${at}`);
  writeFileSync(join(box.cwd, "items"), list.join(", "));
  const worker = async (name: string) => {
    const { root, env } = box.worker(name, "valid");
    writeFileSync(join(root, "config.yaml"), box.read("config.yaml"));
    await box.json(["workflow", "put", box.write("work.yaml", WORK)], { env });
    return { root, env: { ...env, ...withKit().env } };
  };
  const submit = async (...words: readonly string[]): Promise<string> => {
    const { thread } = await box.json(["thread", "submit", "map", "-p", "Ship it", ...words], {
      env: box.env,
    });
    return thread;
  };
  return { ...box, worker, submit };
}

type Box = Awaited<ReturnType<typeof mapBox>>;

type Listed = {
  readonly thread: string;
  readonly ended: string | null;
  readonly place: { readonly parent: string; readonly item: number } | null;
};

async function childrenOf(box: Pick<Box, "json" | "env">, parent: string): Promise<readonly Listed[]> {
  const listed = await box.json<readonly Listed[]>(["thread", "list", "--all", "--remote"], { env: box.env });
  return listed.filter(({ place }) => place?.parent === parent);
}

/** The planner once, and each item once. */
function expectOneRunEach(box: Box, parent: string, children: readonly Listed[]): void {
  const once = [`${parent} planner`, ...children.map(({ thread }) => `${thread} worker`)];
  expect(starts(box).toSorted()).toEqual(once.toSorted());
}

async function expectJoined(box: Box, parent: string): Promise<void> {
  expect(await box.show(parent)).toMatchObject({ ended: "end", steps: 2, held: null, leasedBy: null });
  const read = await box.uwf(["thread", "read", parent, "--remote", "--format", "json"], { env: box.env });
  const results = Array.from({ length: ITEMS }, (_, at) => ({ note: `done ${at}` }));
  expect(JSON.parse(read.stdout).steps[1].output).toMatchObject({ results, ok: true, count: ITEMS });
}

/** One server for all of the file. */
const starting: Promise<Server> | null = BINARIES === null ? null : startPostgres();

async function database(): Promise<string> {
  if (starting === null) throw new Error("skipped");
  return (await starting).database();
}

describe.skipIf(BINARIES === null)(
  "a thread whose worker is killed when its step has started others, and before it has told them",
  () => {
    const preload = resolve(import.meta.dirname, "../../../cli-workflow/test/support/killed-around-step.cjs");
    // Only Node.js is told what to load first.
    const killed = { UWF_RUNTIME: "node", NODE_OPTIONS: `--require ${preload}`, UWF_TEST_KILL_AFTER: "2" };

    it("goes on at its root, where nobody steps the others by hand", async () => {
      const box = await mapBox(await database());
      const parent = await box.submit();
      const { env } = await box.worker("one");
      const dead = await box.uwf(DRAIN, { env: { ...env, ...killed } });
      expect(dead.code).not.toBe(0);
      expect(await childrenOf(box, parent)).toEqual([]);
      const here = await box.json<readonly { readonly thread: string }[]>(["thread", "list"], { env });
      expect(here).toHaveLength(1 + ITEMS);
      for (const { thread } of here) {
        const byHand = await box.uwf(["thread", "step", thread], { env });
        expect([byHand.code, byHand.stderr]).toEqual([9, expect.stringContaining("error[THREAD_ON_REMOTE]")]);
      }
      expect(await box.json([...DRAIN, "--jobs", "3"], { env })).toMatchObject({ refused: 0, failed: 0 });
      const children = await childrenOf(box, parent);
      expect(children.map(({ thread }) => thread).toSorted()).toEqual(
        here
          .map(({ thread }) => thread)
          .filter((thread) => thread !== parent)
          .toSorted(),
      );
      expectOneRunEach(box, parent, children);
      await expectJoined(box, parent);
    }, 120_000);

    it("goes on at another root when that one is lost, with the same others", async () => {
      const box = await mapBox(await database());
      const parent = await box.submit();
      const lost = await box.worker("lost");
      const env = { ...lost.env, ...killed };
      expect((await box.uwf([...DRAIN, "--lease", "1"], { env })).code).not.toBe(0);
      const here = await box.json<readonly { readonly thread: string }[]>(["thread", "list"], {
        env: lost.env,
      });
      const next = await box.worker("next");
      expect(await box.json([...DRAIN, "--jobs", "3"], { env: next.env })).toMatchObject({
        refused: 0,
        failed: 0,
      });
      const children = await childrenOf(box, parent);
      expect([parent, ...children.map(({ thread }) => thread)].toSorted()).toEqual(
        here.map(({ thread }) => thread).toSorted(),
      );
      expectOneRunEach(box, parent, children);
      await expectJoined(box, parent);
    }, 120_000);

    it("has as many at a time as `jobs` says where they share a folder", async () => {
      const box = await mapBox(await database(), "{ workflow: work, each: planner.items, jobs: 2 }");
      const parent = await box.submit("--cwd", box.cwd);
      const { env } = await box.worker("one");
      // The planner, then the map until it waits.
      await box.uwf(["worker", "--max-steps", "1"], { env });
      writeFileSync(join(box.cwd, "fail"), "");
      await box.uwf(DRAIN, { env });
      expect(await childrenOf(box, parent)).toHaveLength(2);
      rmSync(join(box.cwd, "fail"));
      for (const { thread } of await childrenOf(box, parent)) {
        await box.json(["thread", "resume", thread, "--remote"], { env: box.env });
      }
      await box.json(DRAIN, { env });
      expect(await childrenOf(box, parent)).toHaveLength(ITEMS);
      await expectJoined(box, parent);
    }, 120_000);
  },
);

describe.skipIf(BINARIES === null)("a map at a remote", () => {
  const block = (box: Box, at: number): string => join(box.cwd, `block-${at}`);

  it("uses every worker, runs each agent once though a worker is killed, and joins in the order of the items", async () => {
    const box = await mapBox(await database());
    for (let at = 0; at < ITEMS; at += 1) writeFileSync(block(box, at), "");
    const parent = await box.submit();
    const roots = [await box.worker("one"), await box.worker("two")];
    const workers = roots.map(({ env }) => reap(box.start([...DRAIN, "--jobs", "3"], { env })));
    const ran = workers.map(ended);
    await until("every item is at work", () => starts(box).length === 1 + ITEMS);
    // With three at a time, each worker has three of them.
    workers[0]?.kill("SIGKILL");
    await ran[0];
    expect(await box.show(parent)).toMatchObject({ held: { for: "threads" }, leasedBy: null, steps: 1 });
    for (let at = 0; at < ITEMS; at += 1) rmSync(block(box, at));
    const last = await box.uwf([...DRAIN, "--jobs", "3"], { env: roots[0]?.env ?? {} });
    const other = await ran[1];
    expect([last.code, other?.code]).toEqual([0, 0]);
    expect(last.stderr + other?.stderr).not.toContain("put aside:");
    const children = await childrenOf(box, parent);
    expectOneRunEach(box, parent, children);
    await expectJoined(box, parent);
    const shown = await Promise.all(children.map(({ thread }) => box.show(thread)));
    const atRoots = shown.flatMap(({ log }) =>
      log.flatMap(({ entry }) => (entry.event === "step" ? entry.root : [])),
    );
    expect(new Set(atRoots).size).toBe(2);
    // The first three that come to an end do not wake the parent: one step of its own, once.
    const steps = (await box.show(parent)).log.filter(({ entry }) => entry.event === "step");
    expect(steps).toHaveLength(2);
    expect(await box.json(["remote", "status"], { env: box.env })).toMatchObject({
      threads: { ready: 0, leased: 0, held: 0, failed: 0, ended: 1 + ITEMS },
    });
  }, 120_000);

  it("is paused, resumed and killed with its items", async () => {
    const box = await mapBox(await database());
    for (let at = 0; at < ITEMS; at += 1) writeFileSync(block(box, at), "");
    const parent = await box.submit();
    const { env } = await box.worker("one");
    const child = reap(box.start(["worker", "--jobs", "2"], { env }));
    const ran = ended(child);
    await until("two items are at work", () => starts(box).length === 3);
    const states = async () =>
      (await childrenOf(box, parent)) as readonly (Listed & { readonly paused: object | null })[];
    await box.json(["thread", "pause", parent, "--remote"], { env: box.env });
    expect((await states()).every(({ paused }) => paused !== null)).toBe(true);
    await box.json(["thread", "resume", parent, "--remote"], { env: box.env });
    expect((await states()).every(({ paused }) => paused === null)).toBe(true);
    await box.json(["thread", "kill", parent, "--remote"], { env: box.env });
    expect((await states()).map(({ ended: reason }) => reason)).toEqual(Array(ITEMS).fill("killed"));
    child.kill("SIGTERM");
    expect((await ran).code).toBe(0);
    for (let at = 0; at < ITEMS; at += 1) rmSync(block(box, at));
    expect(starts(box)).toHaveLength(3);
  }, 120_000);
});

describe.skipIf(BINARIES === null)("a thread of this root that is pushed", () => {
  it("takes those that it has started with it, and goes on when they have ended there", async () => {
    const box = await remoteBox(await database(), HUMAN);
    const lead = HUMAN.replace("name: turns", "name: lead")
      .replace("agent: human", "agent: { workflow: turns }")
      .replaceAll("approved", "ok");
    await box.json(["workflow", "put", box.write("lead.yaml", lead)]);
    const kit = withKit().env;
    const { thread } = await box.json(["thread", "start", "lead", "-p", "Do it"]);
    expect((await box.uwf(["thread", "step", thread], { env: kit })).code).toBe(9);
    await box.json(["thread", "push", thread], { env: box.env });
    const [child] = await childrenOf(box, thread);
    expect(child).toMatchObject({ ended: null, place: { parent: thread } });
    const byHand = await box.uwf(["thread", "answer", child?.thread ?? "", "--field", "approved=true"]);
    expect([byHand.code, byHand.stderr]).toEqual([9, expect.stringContaining("error[THREAD_ON_REMOTE]")]);
    const { env: at } = box.worker("one", "valid");
    const env = { ...at, ...kit };
    await box.json(["workflow", "put", box.write("turns.yaml", HUMAN)], { env });
    expect(await box.json(DRAIN, { env })).toMatchObject({ failed: 0 });
    expect(await box.show(thread)).toMatchObject({ held: { for: "threads" } });
    expect(await childrenOf(box, thread)).toHaveLength(1);
    const answer = ["thread", "answer", child?.thread ?? "", "--remote", "--field", "approved=true"];
    await box.json(answer, { env: box.env });
    expect(await box.json(DRAIN, { env })).toMatchObject({ steps: 1, failed: 0 });
    expect(await box.show(thread)).toMatchObject({ ended: "end", steps: 1 });
  });
});
