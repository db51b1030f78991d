import { appendFileSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createMemoryStore, type Hash, type Store } from "@uncaged/json-cas";
import { ok } from "@uncaged/workflow-protocol";
import { openStorage, putNode } from "@uncaged/workflow-store";
import { beforeAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { command } from "../../src/commands/thread/list.js";
import { processHost } from "../../src/io.js";
import type { CommandContext } from "../../src/line/index.js";
import { putLoop, threadOf, writeStore } from "../support/long.js";
import { type Sandbox, sandbox } from "../support/uwf.js";

// Twelve active threads, one every minute: by turns of the old and of the new version of `loop`, but every third one is
// of `other`. Then four ended ones, between them; and one whose head is gone, the newest of all.

const MINUTE = 60_000;
const BEGIN = Date.parse("2026-01-31T08:00:00Z");

type Item = {
  readonly thread: string;
  readonly workflow: string | null;
  readonly done?: boolean;
  readonly error?: string;
};

let box: Sandbox;
let old: Hash;
let current: Hash;
let other: Hash;
let active: readonly { readonly thread: string; readonly workflow: Hash }[];
let gone: string;

function workflowAt(index: number): Hash {
  if (index % 3 === 2) return other;
  return index % 2 === 0 ? old : current;
}

async function startOf(store: Store, workflow: Hash, index: number): Promise<Hash> {
  return putNode(store, "startNode", { workflow, prompt: `task ${index}` });
}

beforeAll(async () => {
  box = sandbox();
  const store = createMemoryStore();
  old = await putLoop(store, "loop", "as it was");
  current = await putLoop(store, "loop", "as it is");
  other = await putLoop(store, "other", "another one");
  const lines: string[] = [];
  active = Array.from({ length: 12 }, (_, index) => ({
    thread: threadOf(BEGIN + index * MINUTE, index),
    workflow: workflowAt(index),
  }));
  for (const [index, { thread, workflow }] of active.entries())
    lines.push(`${thread}: "${await startOf(store, workflow, index)}"\n`);
  gone = threadOf(BEGIN + 60 * MINUTE, 60);
  mkdirSync(box.root, { recursive: true });
  writeFileSync(join(box.root, "threads.yaml"), `${lines.join("")}${gone}: "0000000000001"\n`);
  writeFileSync(join(box.root, "registry.yaml"), `loop: "${current}"\nother: "${other}"\n`);
  for (const index of [3, 1, 2, 0]) {
    const workflow = workflowAt(index);
    const head = await startOf(store, workflow, 100 + index);
    const thread = threadOf(BEGIN + index * MINUTE + 1, 100 + index);
    const line = { thread, workflow, head, completedAt: BEGIN + 1e9 - index, reason: "end" };
    appendFileSync(join(box.root, "history.jsonl"), `${JSON.stringify(line)}\n`);
  }
  writeStore(box.root, store);
});

const list = (...args: readonly string[]): Promise<readonly Item[]> =>
  box.json<readonly Item[]>(["thread", "list", ...args]);
const threads = (items: readonly Item[]): readonly string[] => items.map(({ thread }) => thread);
const names = (...indices: readonly number[]): readonly (string | undefined)[] =>
  indices.map((index) => active[index]?.thread);

describe("thread list", () => {
  it("is complete and oldest first, with a damaged thread marked", async () => {
    const { stdout } = await box.uwf(["thread", "list"]);
    const items: readonly Item[] = JSON.parse(stdout);
    expect(stdout).toBe(`${JSON.stringify(items, null, 2)}\n`);
    expect(threads(items)).toEqual([...threads(active), gone]);
    expect(items[0]).toEqual({ thread: active[0]?.thread, workflow: old, head: expect.any(String) });
    expect(items.at(-1)).toMatchObject({ workflow: null, error: expect.stringContaining("0000000000001") });
    expect(parse((await box.uwf(["thread", "list", "--format", "yaml"])).stdout)).toEqual(items);
  });

  it("is an empty list where there are no threads", async () => {
    for (const args of [[], ["--all"], ["--limit", "3", "--offset", "1"], ["--since", "1d"]])
      expect((await sandbox().uwf(["thread", "list", ...args])).stdout).toBe("[]\n");
  });

  it("gives the newest of a limit, oldest first, and pages that go back in time", async () => {
    expect(threads(await list("--limit", "3"))).toEqual([...names(10, 11), gone]);
    expect(threads(await list("--limit", "3", "--offset", "3"))).toEqual(names(7, 8, 9));
    expect(threads(await list("--offset", "11"))).toEqual(names(0, 1));
    expect(await list("--limit", "0")).toEqual([]);
    expect(await list("--offset", "13")).toEqual([]);
  });

  it("knows what was started since a time, by the ids alone", async () => {
    expect(threads(await list("--since", "2026-01-31T08:10"))).toEqual([...names(10, 11), gone]);
    expect(threads(await list("--since", "2026-01-31T10:10:00.001+02:00", "--offset", "1"))).toEqual(
      names(11),
    );
    expect(await list("--since", "5")).toEqual([]);
    const refused = await box.uwf(["thread", "list", "--since", "yesterday"]);
    expect(refused).toMatchObject({ code: 2, stdout: "" });
    expect(refused.stderr).toContain("15m");
  });

  it("knows the threads of every version of a name, of one version by its hash, and of a prefix", async () => {
    const of = (...hashes: readonly Hash[]) =>
      threads(active.filter(({ workflow }) => hashes.includes(workflow)));
    expect(threads(await list("--workflow", "loop"))).toEqual(of(old, current));
    expect(threads(await list("--workflow", old))).toEqual(of(old));
    expect(threads(await list("--workflow", other.slice(0, 8).toLowerCase()))).toEqual(of(other));
    expect(threads(await list("--workflow", "loop", "--limit", "2", "--offset", "1"))).toEqual(names(7, 9));
  });

  it("leaves out a thread whose workflow is unknown, and says so", async () => {
    const ran = await box.uwf(["thread", "list", "--workflow", "loop", "--limit", "1"]);
    expect(threads(JSON.parse(ran.stdout))).toEqual(names(10));
    expect(ran).toMatchObject({ code: 0, stderr: expect.stringMatching(/^warning: 1 thread is left out/) });
    expect(
      (await box.uwf(["thread", "list", "--all", "--workflow", "loop", "--since", "2026-01-31T08:11"]))
        .stderr,
    ).toContain("1 thread is");
  });

  it.each([
    ["loup", 3, 'did you mean "loop"'],
    ["0000000000000", 3, "NODE_MISSING"],
    ["FFFF", 3, "WORKFLOW_NOT_FOUND"],
    ["toString", 3, "WORKFLOW_NOT_FOUND"],
    ["", 3, "WORKFLOW_NOT_FOUND"],
  ])("refuses --workflow %j", async (name, code, told) => {
    const ran = await box.uwf(["thread", "list", "--workflow", name]);
    expect(ran).toMatchObject({ code, stdout: "" });
    expect(ran.stderr).toContain(told);
  });

  it("refuses --workflow with the hash of another kind of node", async () => {
    const [first] = await list();
    const ran = await box.uwf([
      "thread",
      "list",
      "--workflow",
      (first as { head?: string } | undefined)?.head ?? "",
    ]);
    expect(ran).toMatchObject({ code: 4, stdout: "" });
    expect(ran.stderr).toContain("StartNode");
  });

  it.each([
    ["--limit", "-1"],
    ["--limit", "x"],
    ["--offset", "1.5"],
  ])("refuses %s %s", async (option, value) => {
    expect(await box.uwf(["thread", "list", option, value])).toMatchObject({ code: 2, stdout: "" });
  });

  it("puts ended threads in their places with --all, whenever they ended", async () => {
    const items = await list("--all", "--since", "2026-01-31T08:02");
    expect(threads(items).slice(0, 4)).toEqual([
      ...names(2),
      threadOf(BEGIN + 2 * MINUTE + 1, 102),
      ...names(3),
      threadOf(BEGIN + 3 * MINUTE + 1, 103),
    ]);
    expect(items.slice(0, 2)).toMatchObject([{ done: false }, { done: true, workflow: other }]);
    expect(threads(await list("--all", "--workflow", "other", "--limit", "3", "--offset", "2"))).toEqual([
      ...names(2),
      threadOf(BEGIN + 2 * MINUTE + 1, 102),
      ...names(5),
    ]);
  });
});

describe("what a list reads", () => {
  /** The hashes of the nodes that are read for a list. */
  async function readsOf(given: Readonly<Record<string, unknown>>): Promise<readonly Hash[]> {
    const storage = openStorage(box.root, { now: Date.now });
    const reads: Hash[] = [];
    const get: Store["get"] = (hash) => {
      reads.push(hash);
      return storage.cas.get(hash);
    };
    const host = {
      ...processHost(""),
      stdout: { write: () => {}, isClosed: () => false, isTerminal: () => false, columns: () => null },
    };
    const context: CommandContext = {
      host,
      openStorage: () => ok({ ...storage, cas: { ...storage.cas, get } }),
      openAnyStorage: () => ok(storage),
      format: null,
      typedFormat: null,
      colour: "auto",
      screen: null,
      watcher: () => null,
      warn: () => {},
      tell: () => {},
      live: false,
    };
    const all = { all: false, held: false, workflow: null, since: null, limit: null, offset: 0 };
    const request = { ...all, ...given } as never;
    expect((await command.run(context, request)).ok).toBe(true);
    return reads;
  }

  it("are the nodes of what it shows", async () => {
    // Each of these threads stands on its start: one node.
    expect(await readsOf({ limit: 3, offset: 1 })).toHaveLength(3);
    expect(await readsOf({ since: "2026-01-31T08:10" })).toHaveLength(3);
    expect(await readsOf({ limit: 0 })).toEqual([]);
    expect(await readsOf({ offset: 10_000 })).toEqual([]);
  });

  it("are no more than it takes to fill a limit, where a workflow is asked for", async () => {
    // The workflow itself; then the newest, which is damaged, two of other workflows, and the one that fits.
    expect(await readsOf({ workflow: current, limit: 1, offset: 0 })).toHaveLength(1 + 4);
  });

  it("are none for ended threads of other workflows", async () => {
    const ended = await readsOf({ all: true, workflow: other, since: "2020-01-01" });
    const active = await readsOf({ all: false, workflow: other, since: "2020-01-01" });
    // One of the four is of it.
    expect(ended.length - active.length).toBe(1);
  });
});
