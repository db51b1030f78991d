import { keyedThreadId } from "@uncaged/workflow-util";
import { describe, expect, it } from "vitest";
import {
  addKeyedThread,
  addSuccessor,
  addThread,
  archiveThread,
  findKeyedThread,
  findThread,
  readFamily,
  type Storage,
  withdrawThread,
  workflowOfHead,
} from "../../src/index.js";
import {
  addStep,
  bad,
  good,
  startThread,
  THREAD,
  takeThread,
  tempStorage,
  threadAt,
} from "../support/index.js";

/** Another thread whose id ends alike, as an import may bring one. */
function like(thread: string, nowMs: number): typeof THREAD {
  return `${keyedThreadId(nowMs, new Uint8Array(10)).slice(0, 10)}${thread.slice(10)}` as typeof THREAD;
}

async function furnished() {
  const storage = tempStorage();
  const { start } = await startThread(storage);
  const shared = { start, folder: storage.root, limits: null, maxDepth: 8 };
  const keyed = { ...shared, key: "release-7", of: null };
  const of = { parent: THREAD, head: start, role: "developer", item: null };
  const child = { ...shared, key: `${start}/developer`, of };
  return { storage, start, keyed, child };
}

const LATER = Date.now() + 1_000_000;

async function takes(storage: Storage, entry: Parameters<typeof takeThread>[1], restore = false) {
  const scope = { restore, threads: new Set([entry.thread]), added: new Set<typeof THREAD>() };
  return good(await takeThread(storage, entry, scope));
}

describe("a thread with the end that a key gives", () => {
  it("that this root has not started by the key is not the thread of the key", async () => {
    const { storage, start, keyed } = await furnished();
    const other = tempStorage();
    await startThread(other);
    const { thread: theirs } = good(await addKeyedThread(other, keyed));
    good(await addThread(storage, theirs, start));
    expect(good(await findKeyedThread(storage, "release-7"))).toBeNull();
    const { thread, existing } = good(await addKeyedThread(storage, { ...keyed, key: "release-7" }));
    expect({ existing, isAnother: thread !== theirs }).toEqual({ existing: false, isAnother: true });
    expect(good(await findKeyedThread(storage, "release-7"))).toBe(thread);
    expect(good(await addKeyedThread(storage, keyed))).toEqual({ thread, existing: true });
  });

  it("is found by the key in its successor's place, and in no other one's", async () => {
    const { storage, start, keyed } = await furnished();
    const { thread } = good(await addKeyedThread(storage, keyed));
    good(await addThread(storage, like(thread, LATER), start));
    const place = { head: start, workFolder: storage.root, rewrittenFrom: null };
    const next = good(await addSuccessor(storage, thread, place));
    expect(next.existing).toBe(false);
    expect(good(await findKeyedThread(storage, "release-7"))).toBe(next.thread);
  });
});

describe("a thread with the end that a place in a parent gives", () => {
  it("that this root has not started there is not the child, linked by an import or not", async () => {
    const { storage, start, child } = await furnished();
    const other = tempStorage();
    await startThread(other);
    const { thread: theirs } = good(await addKeyedThread(other, child));
    const line = { child: theirs, ...child.of, at: 1 };
    const scope = { restore: false, threads: new Set([theirs, THREAD]), added: new Set([THREAD]) };
    const entry = { thread: theirs, head: start, ended: null, parent: line };
    expect(good(await takeThread(storage, entry, scope)).outcome).toBe("added");
    expect(good(readFamily(storage)).parentOf(theirs)).toEqual({ ...line, imported: true });
    const own = good(await addKeyedThread(storage, child));
    expect(own.existing).toBe(false);
    expect(good(await addKeyedThread(storage, child))).toEqual({ thread: own.thread, existing: true });
  });

  it("is linked to no thread that was here before the import", async () => {
    const { storage, start, child } = await furnished();
    const entry = { thread: threadAt(7), head: start, ended: null };
    const parent = { child: threadAt(7), ...child.of, at: 1 };
    expect((await takes(storage, { ...entry, parent })).outcome).toBe("added");
    expect(good(readFamily(storage)).lines).toEqual([]);
  });
});

describe("an import of a thread whose id ends as one here", () => {
  it("is refused for the thread, and taken by restore: then key and place find it", async () => {
    const { storage, start, keyed, child } = await furnished();
    const next = await addStep(storage, start);
    for (const place of [keyed, child]) {
      const { thread } = good(await addKeyedThread(storage, place));
      const theirs = like(thread, LATER);
      const parent = place.of === null ? null : { child: theirs, ...place.of, at: 1 };
      const entry = { thread: theirs, head: next, ended: null, parent };
      expect(await takes(storage, entry)).toEqual({
        thread: theirs,
        head: null,
        imported: next,
        outcome: "collides",
      });
      expect(bad(await findThread(storage, theirs)).code).toBe("THREAD_NOT_FOUND");
      expect((await takes(storage, entry, true)).outcome).toBe("added");
      expect(good(await addKeyedThread(storage, place))).toEqual({ thread: theirs, existing: true });
    }
  });
});

describe("an import of a thread whose id a start here was cut short with", () => {
  it("is refused for the thread: neither key nor place finds what a stranger made of it", async () => {
    const { storage, start, keyed, child } = await furnished();
    const next = await addStep(storage, start);
    for (const place of [keyed, child]) {
      const { thread } = good(await addKeyedThread(storage, place));
      // As a crash between its line and its head leaves it.
      good(await withdrawThread(storage, thread, start));
      const entry = { thread, head: next, ended: null, parent: null };
      expect((await takes(storage, entry)).outcome).toBe("collides");
      const own = good(await addKeyedThread(storage, place));
      expect(own.existing).toBe(false);
      expect(good(await findThread(storage, own.thread)).head).toBe(start);
    }
  });
});

describe("the end of an id that two threads share", () => {
  it("means the one that this root put in the other's place, and never one that only came later", async () => {
    const { storage, start } = await furnished();
    const last = THREAD.slice(-8);
    const place = { head: start, workFolder: storage.root, rewrittenFrom: null };
    const { thread } = good(await addSuccessor(storage, THREAD, place));
    good(await end(storage));
    expect(good(await findThread(storage, last)).thread).toBe(thread);
    const strange = tempStorage();
    await startThread(strange);
    good(await addThread(strange, like(THREAD, LATER), start));
    good(await end(strange));
    expect(bad(await findThread(strange, last))).toMatchObject({ code: "AMBIGUOUS_PREFIX" });
  });
});

/** The thread ends, and is archived. */
async function end(storage: Storage) {
  const { head } = good(await findThread(storage, THREAD));
  const workflow = good(workflowOfHead(storage.cas, head));
  return archiveThread(storage, { thread: THREAD, head, workflow, completedAt: 1, reason: "end" });
}
