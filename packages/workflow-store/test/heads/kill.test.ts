import { readFileSync } from "node:fs";
import { join } from "node:path";
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
  good,
  runModule,
  startThread,
  THREAD,
  tempRoot,
  tempStorage,
  threadAt,
} from "../support/index.js";

/** A whole life of a thread, killed just before the n-th call that changes the file system. */
const LIFE = `
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
const [, , index, root, thread, start, next, workflow, victim] = process.argv;
const store = await import(index);
let calls = 0;
for (const name of ["openSync", "mkdirSync", "writeSync", "fsyncSync", "linkSync", "renameSync", "unlinkSync", "rmSync", "ftruncateSync"]) {
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
const run = must(store.newRun(storage, thread, { head: start, role: "developer", command: ["x"], token: "t" }));
must(await store.advanceHead(storage, { thread, expected: start, next }));
must(store.removeRun(run));
must(await store.archiveThread(storage, { thread, head: next, workflow, reason: "end", completedAt: 5 }));
must(store.releaseClaim(claim));
console.log(calls);
`;

/** Far more calls than a life makes: the loop below ends when one survives. */
const MAX_CALLS = 400;

/** What the next process does with what it finds, to the end. */
async function goOn(storage: Storage, start: string, next: string, workflow: string): Promise<void> {
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
    good(newRun(storage, THREAD, { head: claim.head, role: "developer", command: ["x"], token: "u" }));
    good(await advanceHead(storage, { thread: THREAD, expected: claim.head, next: next as never }));
  }
  const line = { thread: THREAD, head: next, workflow, reason: "end", completedAt: 6 };
  good(await archiveThread(storage, line as never));
  good(releaseClaim(claim));
}

describe("kill -9 at any call that changes the file system", () => {
  it("leaves a store in which the next process goes on to the same end", async () => {
    const [dir, index] = [tempRoot(), builtIndex()];
    let kills = 0;
    for (let victim = 1; victim <= MAX_CALLS; victim += 1) {
      const storage = tempStorage();
      const { start, workflow } = await startThread(storage);
      good(await addThread(storage, threadAt(2), start));
      const next = await addStep(storage, start, true);
      const args = [index, storage.root, THREAD, start, next, workflow, String(victim)];
      const ended = await runModule(dir, "life", LIFE, args);
      if (ended.signal === "SIGKILL") kills += 1;
      else expect(ended.code).toBe(0);
      await goOn(openStorage(storage.root, { now: Date.now }), start, next, workflow);
      const states = good(await listThreads(storage, { all: true }));
      expect(states.map(({ thread, kind, head }) => [thread, kind, head])).toEqual([
        [THREAD, "ended", next],
        [threadAt(2), "active", start],
      ]);
      const lines = readFileSync(join(storage.root, "history.jsonl"), "utf8").trim().split("\n");
      expect(lines).toHaveLength(1);
      if (ended.signal === null) {
        expect(Number(ended.stdout)).toBe(kills);
        break;
      }
    }
    expect(kills).toBeGreaterThan(40);
    expect(kills).toBeLessThan(MAX_CALLS);
  });
});
