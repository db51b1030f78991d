import { cpSync, readFileSync, rmSync } from "node:fs";
import type { CasRef } from "@uncaged/workflow-protocol";
import { describe, expect, it } from "vitest";
import {
  addThread,
  advanceHead,
  archiveThread,
  claimThread,
  findRuns,
  findThread,
  listThreads,
  newRun,
  openStorage,
  releaseClaim,
  removeRun,
  type Storage,
} from "../../src/index.js";
import {
  addStep,
  builtIndex,
  CHANGING,
  dyingAt,
  good,
  runModule,
  startThread,
  THREAD,
  tempRoot,
  tempStorage,
  threadAt,
} from "../support/index.js";

type World = { storage: Storage; start: CasRef; next: CasRef; workflow: CasRef };

/** A thread to be stepped to its end, and another one that must not suffer. */
async function makeWorld(): Promise<World> {
  const storage = tempStorage();
  const { start, workflow } = await startThread(storage);
  good(await addThread(storage, threadAt(2), start));
  return { storage, start, workflow, next: await addStep(storage, start, true) };
}

/** The same world in another place. */
function copyOf(world: World): World {
  const root = tempRoot();
  cpSync(world.storage.root, root, { recursive: true });
  return { ...world, storage: tempStorage(root) };
}

const RUN = { role: "developer", command: ["x"], attempt: 1 };

/** A step from its claim to the archive. */
async function life({ storage, start, next, workflow }: World): Promise<void> {
  const claim = good(await claimThread(storage, THREAD, { waitMs: 0 }));
  const run = good(newRun(storage, THREAD, { ...RUN, head: start, token: "t" }));
  good(await advanceHead(storage, { thread: THREAD, expected: start, next }));
  good(removeRun(run));
  const end = { thread: THREAD, head: next, workflow, reason: "end", completedAt: 5 } as const;
  good(await archiveThread(storage, end));
  good(releaseClaim(claim));
}

/** What the next process does with what it finds. */
async function goOn({ storage, start, next, workflow }: World): Promise<void> {
  const found = good(await findThread(storage, THREAD));
  const claimed = await claimThread(storage, THREAD, { waitMs: 0 });
  if (found.kind === "ended") {
    expect(claimed).toMatchObject({ ok: false, error: { code: "THREAD_ENDED", reason: "end" } });
    return;
  }
  const claim = good(claimed);
  expect([start, next]).toContain(claim.head);
  for (const run of good(findRuns(storage, THREAD))) good(removeRun(run));
  if (claim.head === start) {
    good(newRun(storage, THREAD, { ...RUN, head: start, token: "u" }));
    good(await advanceHead(storage, { thread: THREAD, expected: start, next }));
  }
  const end = { thread: THREAD, head: next, workflow, reason: "end", completedAt: 6 } as const;
  good(await archiveThread(storage, end));
  good(releaseClaim(claim));
}

async function expectTheEnd({ storage, start, next }: World): Promise<void> {
  const states = good(await listThreads(storage, { all: true }));
  expect(states.map(({ thread, kind, head }) => [thread, kind, head])).toEqual([
    [THREAD, "ended", next],
    [threadAt(2), "active", start],
  ]);
  expect(readFileSync(storage.paths.history, "utf8").trim().split("\n")).toHaveLength(1);
}

/** Far more calls than a life makes: the loops below end when one survives. */
const MAX_CALLS = 500;

describe("a process that dies before any one call that changes the file system", () => {
  it("leaves a store in which the next process goes on to the same end", async () => {
    let calls: number | null = null;
    let deaths = 0;
    const template = await makeWorld();
    while (calls === null && deaths < MAX_CALLS) {
      const world = copyOf(template);
      calls = await dyingAt(deaths + 1, () => life(world));
      if (calls === null) deaths += 1;
      // The locks of the dead: that they are broken, and by one only, is json-cas-fs's matter, and the next test's.
      rmSync(world.storage.paths.locks, { recursive: true, force: true });
      const fresh = openStorage(world.storage.root, { now: Date.now });
      await goOn({ ...world, storage: fresh });
      await expectTheEnd({ ...world, storage: fresh });
    }
    expect(calls).toBe(deaths);
    expect(deaths).toBeGreaterThan(40);
  });
});

/** The life above as a process of its own, killed just before the n-th call. */
const LIFE = `
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
const [, , index, root, thread, start, next, workflow, victim] = process.argv;
const store = await import(index);
let calls = 0;
for (const name of ${JSON.stringify(CHANGING)}) {
  const real = fs[name];
  fs[name] = (...args) => {
    calls += 1;
    if (calls === Number(victim)) process.kill(process.pid, "SIGKILL");
    return real(...args);
  };
}
syncBuiltinESMExports();
function must(result) {
  if (!result.ok) throw new Error(JSON.stringify(result.error));
  return result.value;
}
const storage = store.openStorage(root, { now: Date.now });
const claim = must(await store.claimThread(storage, thread, { waitMs: 0 }));
const run = must(store.newRun(storage, thread, { head: start, role: "developer", command: ["x"], token: "t", attempt: 1 }));
must(await store.advanceHead(storage, { thread, expected: start, next }));
must(store.removeRun(run));
must(await store.archiveThread(storage, { thread, head: next, workflow, reason: "end", completedAt: 5 }));
must(store.releaseClaim(claim));
`;

describe("kill -9", () => {
  it.each([3, 16, 29, 42, 55, 68])("before call %i, with the locks of the dead in place", async (victim) => {
    const [dir, index, world] = [tempRoot(), builtIndex(), await makeWorld()];
    const { start, next, workflow } = world;
    const args = [index, world.storage.root, THREAD, start, next, workflow, String(victim)];
    expect((await runModule(dir, "life", LIFE, args)).signal).toBe("SIGKILL");
    await goOn(world);
    await expectTheEnd(world);
  });
});
