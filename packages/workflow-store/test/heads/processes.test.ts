import { describe, expect, it } from "vitest";
import { openStorage, readHeads } from "../../src/index.js";
import { builtIndex, good, HASH_A, HASH_B, runModule, THREAD, tempRoot, threadAt } from "../support/index.js";

/** Adds its thread and says how it went. */
const ADDER = `
const [, , index, root, thread, head] = process.argv;
const { addThread, openStorage } = await import(index);
const added = await addThread(openStorage(root, { now: Date.now }), thread, head);
console.log(added.ok ? "ok" : added.error.code);
`;

/** Moves the head of one thread; of many, one may. */
const MOVER = `
const [, , index, root, thread, expected, next] = process.argv;
const { advanceHead, openStorage } = await import(index);
const moved = await advanceHead(openStorage(root, { now: Date.now }), { thread, expected, next });
console.log(moved.ok ? "ok" : moved.error.code);
`;

const PROCESSES = 10;
const numbers = Array.from({ length: PROCESSES }, (_, n) => n);

describe(`${PROCESSES} processes at once`, () => {
  it("add as many threads, and none is lost", async () => {
    const [dir, root, index] = [tempRoot(), tempRoot(), builtIndex()];
    const ended = await Promise.all(
      numbers.map((n) => runModule(dir, `adder-${n}`, ADDER, [index, root, threadAt(n), HASH_A])),
    );
    expect(ended.map((each) => each.stdout.trim())).toEqual(numbers.map(() => "ok"));
    expect([...good(await readHeads(openStorage(root, { now: Date.now })))]).toEqual(
      numbers.map((n) => [threadAt(n), HASH_A]),
    );
  });

  it("move one head, and exactly one does", async () => {
    const [dir, root, index] = [tempRoot(), tempRoot(), builtIndex()];
    await runModule(dir, "adder", ADDER, [index, root, THREAD, HASH_A]);
    const ended = await Promise.all(
      numbers.map((n) => runModule(dir, `mover-${n}`, MOVER, [index, root, THREAD, HASH_A, HASH_B])),
    );
    const outcomes = ended.map((each) => each.stdout.trim()).sort();
    expect(outcomes).toEqual([...numbers.slice(1).map(() => "HEAD_MOVED"), "ok"]);
  });
});
