import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { addThread, openStorage, readHeads } from "../../src/index.js";
import { builtIndex, good, HASH_A, HASH_B, runModule, tempRoot, threadAt } from "../support/index.js";

const PROCESSES = 4;
const THREADS_EACH = 10;

const processes = Array.from({ length: PROCESSES }, (_, n) => n);
const threads = Array.from({ length: THREADS_EACH }, (_, n) => threadAt(n));

/** Starts when all processes are loaded, not when the first is: they are to meet. */
const MEETING = `
import { readdirSync, writeFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
const [, , index, root, meeting, number, names, head, next] = process.argv;
const { addThread, advanceHead, openStorage } = await import(index);
const storage = openStorage(root, { now: Date.now });
writeFileSync(meeting + "/" + number, "");
while (readdirSync(meeting).length < ${PROCESSES}) await sleep(1);
const threads = names.split(",");
`;

/** Adds its threads and says how it went. */
const ADDER = `${MEETING}
for (const thread of threads) {
  const added = await addThread(storage, thread, head);
  console.log(added.ok ? "ok" : added.error.code);
}
`;

/** Moves the heads of all threads; of many movers of one, one may. */
const MOVER = `${MEETING}
for (const thread of threads) {
  const moved = await advanceHead(storage, { thread, expected: head, next });
  console.log(moved.ok ? "ok" : moved.error.code);
}
`;

type Task = { readonly source: string; readonly threadsOf: (n: number) => readonly string[] };

/** What each process printed, line by line. */
async function atOnce(root: string, { source, threadsOf }: Task): Promise<readonly (readonly string[])[]> {
  const [dir, index] = [tempRoot(), builtIndex()];
  const meeting = join(dir, "meeting");
  mkdirSync(meeting);
  const start = (n: number) =>
    runModule(dir, `module-${n}`, source, [
      ...[index, root, meeting, String(n), threadsOf(n).join(",")],
      ...[HASH_A, HASH_B],
    ]);
  const ended = await Promise.all(processes.map(start));
  return ended.map(({ stdout }) => stdout.trim().split("\n"));
}

describe(`${PROCESSES} processes at once`, () => {
  it("add as many threads as they like, and none is lost", async () => {
    const root = tempRoot();
    const threadsOf = (n: number) => threads.map((_, index) => threadAt(n + index * PROCESSES));
    const said = await atOnce(root, { source: ADDER, threadsOf });
    expect(said).toEqual(processes.map(() => threads.map(() => "ok")));
    expect([...good(await readHeads(openStorage(root, { now: Date.now })))]).toEqual(
      Array.from({ length: PROCESSES * THREADS_EACH }, (_, n) => [threadAt(n), HASH_A]),
    );
  });

  it("move one head, and exactly one does", async () => {
    const root = tempRoot();
    const storage = openStorage(root, { now: Date.now });
    for (const thread of threads) good(await addThread(storage, thread, HASH_A));
    const said = await atOnce(root, { source: MOVER, threadsOf: () => threads });
    for (const n of threads.keys()) {
      const outcomes = said.map((lines) => lines[n]).sort();
      expect(outcomes).toEqual([...processes.slice(1).map(() => "HEAD_MOVED"), "ok"]);
    }
    expect([...good(await readHeads(storage))]).toEqual(threads.map((thread) => [thread, HASH_B]));
  });
});
