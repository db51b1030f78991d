import { appendFileSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { CasRef, Fault, Result } from "@uncaged/workflow-protocol";
import { describe, expect, it } from "vitest";
import { appendHistory } from "../../src/history.js";
import {
  addKeyedThread,
  addSpent,
  openStorage,
  readSpent,
  type Storage,
  setRegistry,
  startSpending,
} from "../../src/index.js";
import {
  bad,
  builtIndex,
  good,
  HASH_A,
  HASH_B,
  heldBySomebody,
  runModule,
  startThread,
  tempRoot,
  tempStorage,
  threadAt,
} from "../support/index.js";

const RUN = { steps: 1, ms: 60_000, costUsd: 0.5, unknownCost: 0 };

const PARENT = threadAt(1);

const ENDED = { thread: PARENT, workflow: HASH_A, head: HASH_B, completedAt: 1, reason: "end" } as const;

const childOf = (head: CasRef) => ({
  key: `${head}/lead`,
  of: { parent: PARENT, head, role: "lead", item: null },
  limits: null,
  start: head,
  folder: "/",
  maxDepth: 3,
});

/** A thread that keeps what it spends, and its file. */
async function limited(root = tempRoot()) {
  const storage = tempStorage(root);
  const { start } = await startThread(storage, PARENT);
  good(await startSpending(storage, PARENT));
  return { storage, start, file: join(root, "runs", PARENT, "spent.jsonl") };
}

describe("a file to which lines are appended, and which is a link", () => {
  it.each<[string, (storage: Storage, head: CasRef) => Promise<Result<unknown, Fault>>]>([
    ["spent.jsonl", (storage) => addSpent(storage, [PARENT], { run: "a", ...RUN })],
    ["registry-history.jsonl", (storage) => setRegistry(storage, "other", HASH_A)],
    ["history.jsonl", async (storage) => appendHistory(storage, ENDED)],
    ["children.jsonl", (storage, head) => addKeyedThread(storage, childOf(head))],
  ])("is damage, and nothing is written where it leads: %s", async (name, append) => {
    const { storage, file, start } = await limited();
    const linked = name === "spent.jsonl" ? file : join(storage.root, name);
    const foreign = join(tempRoot(), "foreign");
    writeFileSync(foreign, "");
    rmSync(linked, { force: true });
    symlinkSync(foreign, linked);
    expect(bad(await append(storage, start))).toMatchObject({ code: "STORE_DAMAGED", file: linked });
    expect(readFileSync(foreign, "utf8")).toBe("");
  });
});

describe("what a thread has spent", () => {
  it("counts a run once, however often it is added", async () => {
    const { storage } = await limited();
    for (const run of ["a", "b", "a"]) good(await addSpent(storage, [PARENT], { run, ...RUN }));
    expect(good(readSpent(storage, PARENT))).toEqual({ steps: 2, minutes: 2, costUsd: 1, unknownCost: 0 });
  });

  it("is added under the index lock: a child beside would cut off what it takes for a torn end", async () => {
    const { storage, file } = await limited();
    const before = readFileSync(file, "utf8");
    const holder = await heldBySomebody(join(storage.paths.locks, "index.lock"));
    const adding = addSpent(storage, [PARENT], { run: "a", ...RUN });
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(readFileSync(file, "utf8")).toBe(before);
    await holder.end();
    good(await adding);
    expect(good(readSpent(storage, PARENT))).toMatchObject({ steps: 1 });
  });

  it("loses no line of processes that add to one parent at once, though its end is torn again and again", async () => {
    const { storage, file } = await limited();
    const [dir, index] = [tempRoot(), builtIndex()];
    const meeting = join(dir, "meeting");
    mkdirSync(meeting);
    const adder = `
import { appendFileSync, readdirSync, writeFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
const [, , index, root, meeting, number, thread, file] = process.argv;
const { addSpent, openStorage, withIndexLock } = await import(index);
const storage = openStorage(root, { now: Date.now });
writeFileSync(meeting + "/" + number, "");
while (readdirSync(meeting).length < 4) await sleep(1);
for (let at = 0; at < 25; at += 1) {
  const line = { run: number + "-" + at, ...${JSON.stringify(RUN)} };
  const added = await addSpent(storage, [thread], line);
  if (!added.ok) throw new Error(JSON.stringify(added.error));
  // As a kill in the midst of the next line would leave it.
  await withIndexLock(storage, async () => ({ ok: true, value: appendFileSync(file, '{"run":"torn') }));
}
`;
    const ended = await Promise.all(
      [0, 1, 2, 3].map((n) =>
        runModule(dir, `adder-${n}`, adder, [index, storage.root, meeting, String(n), PARENT, file]),
      ),
    );
    expect(ended.map(({ code }) => code)).toEqual([0, 0, 0, 0]);
    expect(good(readSpent(openStorage(storage.root, { now: Date.now }), PARENT))).toMatchObject({
      steps: 100,
    });
  });

  it("is no business of a thread that has ended meanwhile", async () => {
    const { storage } = await limited();
    const other = threadAt(2);
    good(await addSpent(storage, [other, PARENT], { run: "a", ...RUN }));
    expect(good(readSpent(storage, other))).toBe(null);
    expect(good(readSpent(storage, PARENT))).toMatchObject({ steps: 1 });
  });

  it("goes on below a torn end, and gives a whole last line its newline", async () => {
    const { storage, file } = await limited();
    appendFileSync(file, JSON.stringify({ run: "whole", ...RUN }));
    good(await addSpent(storage, [PARENT], { run: "a", ...RUN }));
    appendFileSync(file, '{"run":"b');
    good(await addSpent(storage, [PARENT], { run: "c", ...RUN }));
    expect(good(readSpent(storage, PARENT))).toMatchObject({ steps: 3 });
    appendFileSync(file, "[]\n");
    expect(bad(readSpent(storage, PARENT))).toMatchObject({ code: "STORE_DAMAGED", file });
  });
});
