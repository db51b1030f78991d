import { appendFileSync, existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import type { ThreadId } from "@uncaged/workflow-protocol";
import { describe, expect, it } from "vitest";
import { appendHistory, readThreadHistory } from "../../src/history.js";
import {
  addThread,
  findThread,
  listThreads,
  readHistory,
  refuseOurs,
  removeThreads,
  type Storage,
  threadEntry,
  writeEnding,
} from "../../src/index.js";
import { bad, good, HASH_A, startThread, takeThread, tempStorage, threadAt } from "../support/index.js";

async function endedThreads(storage: Storage, ...threads: readonly ThreadId[]) {
  const { workflow, start } = await startThread(storage, threadAt(99));
  for (const thread of threads) {
    good(appendHistory(storage, { thread, workflow, head: start, completedAt: 7, reason: "end" }));
  }
  return { workflow, start };
}

function link(storage: Storage, child: ThreadId, parent: ThreadId): void {
  const line = { child, parent, head: HASH_A, role: "developer", item: null, at: 1 };
  appendFileSync(storage.paths.children, `${JSON.stringify(line)}\n`);
}

const [ONE, TWO, THREE] = [threadAt(1), threadAt(2), threadAt(3)];

describe("removeThreads", () => {
  it("writes a line per end; the thread is in no answer any more", async () => {
    const storage = tempStorage();
    const { start } = await endedThreads(storage, ONE, TWO);
    const removed = good(await removeThreads(storage, [ONE]));
    expect(removed).toEqual([{ thread: ONE, head: start, at: expect.any(Number) }]);
    const { at } = removed[0] ?? {};
    expect(readFileSync(storage.paths.removed, "utf8")).toBe(
      `{"thread":"${ONE}","completedAt":7,"at":${at}}\n`,
    );
    expect([...good(readHistory(storage)).ended.keys()]).toEqual([TWO]);
    expect(good(readThreadHistory(storage, ONE))).toBeNull();
    const gone = good(readHistory(storage)).removed;
    expect([...gone]).toEqual([[ONE, { line: expect.objectContaining({ thread: ONE, head: start }), at }]]);
    expect(good(await listThreads(storage, { all: true })).map(({ thread }) => thread)).toEqual([
      TWO,
      threadAt(99),
    ]);
    expect(bad(await findThread(storage, ONE))).toEqual({
      code: "THREAD_NOT_FOUND",
      thread: ONE,
      removed: removed[0],
    });
  });

  it("resolves a part of an id among the threads that are there; where there is none, it names the one that was", async () => {
    const storage = tempStorage();
    await endedThreads(storage, ONE, TWO, THREE);
    good(await removeThreads(storage, [ONE]));
    const part = ONE.slice(0, 25);
    expect(bad(await findThread(storage, part)).code).toBe("AMBIGUOUS_PREFIX");
    good(await removeThreads(storage, [TWO]));
    expect(good(await findThread(storage, part)).thread).toBe(THREE);
    good(await removeThreads(storage, [THREE]));
    // Which of three was meant is unknown.
    expect(bad(await findThread(storage, part))).toEqual({
      code: "THREAD_NOT_FOUND",
      thread: part,
    });
    expect(bad(await findThread(storage, ONE.slice(-8)))).toMatchObject({
      thread: ONE,
      removed: { thread: ONE },
    });
  });

  it("removes nothing if one of them is active, ending, or unknown", async () => {
    const storage = tempStorage();
    await endedThreads(storage, ONE);
    for (const [other, code] of [
      [threadAt(99), "NOT_REMOVABLE"],
      [TWO, "THREAD_NOT_FOUND"],
    ] as const) {
      expect(bad(await removeThreads(storage, [ONE, other])).code).toBe(code);
      expect(existsSync(storage.paths.removed)).toBe(false);
    }
    good(await writeEnding(storage, threadAt(99), { reason: "killed" }));
    expect(good(await removeThreads(storage, [threadAt(99)]))).toHaveLength(1);
  });

  it("takes what is below a thread with it, and leaves a child to its parent", async () => {
    const storage = tempStorage();
    const [four, never] = [threadAt(4), threadAt(50)];
    await endedThreads(storage, ONE, TWO, THREE, four);
    link(storage, TWO, ONE);
    link(storage, THREE, TWO);
    // Its start was cut short.
    link(storage, never, TWO);
    expect(bad(await removeThreads(storage, [THREE]))).toMatchObject({ code: "NOT_REMOVABLE", parent: TWO });
    expect(bad(await removeThreads(storage, [TWO, four]))).toMatchObject({ thread: TWO, parent: ONE });
    expect(good(await removeThreads(storage, [THREE, ONE])).map(({ thread }) => thread)).toEqual([
      ONE,
      TWO,
      THREE,
    ]);
    // Children before parents.
    const lines = readFileSync(storage.paths.removed, "utf8").trimEnd().split("\n");
    expect(lines.map((line) => JSON.parse(line).thread)).toEqual([THREE, TWO, ONE]);
    expect(good(await removeThreads(storage, [ONE]))).toEqual([]);
    // Cut short after its first line.
    writeFileSync(storage.paths.removed, `${lines[0]}\n${lines[1]?.slice(0, 40)}`);
    expect(good(await removeThreads(storage, [ONE])).map(({ thread }) => thread)).toEqual([ONE, TWO]);
    expect(good(await removeThreads(storage, [four]))).toHaveLength(1);
  });
});

describe("a removed thread", () => {
  it("is not brought back by what a remote says of it, unless the remote had it", async () => {
    const storage = tempStorage();
    const { workflow, start } = await endedThreads(storage, ONE);
    const line = { thread: TWO, workflow, head: start, completedAt: 7, reason: "end", remote: true } as const;
    good(appendHistory(storage, line));
    good(await removeThreads(storage, [ONE, TWO]));
    expect(bad(await refuseOurs(storage, ONE, start)).code).toBe("INVALID_INPUT");
    good(await refuseOurs(storage, TWO, start));
    good(await refuseOurs(storage, THREE));
  });

  it("comes back by an import that a person calls a restore, without a second line in the history", async () => {
    const storage = tempStorage();
    await endedThreads(storage, ONE);
    const entry = threadEntry(good(await findThread(storage, ONE)), null);
    const before = readFileSync(storage.paths.history, "utf8");
    good(await removeThreads(storage, [ONE]));
    const outcome = async (restore: boolean, thread = ONE) => {
      const scope = { restore, threads: new Set([thread]), added: new Set<ThreadId>() };
      return good(await takeThread(storage, { ...entry, thread }, scope)).outcome;
    };
    expect(await outcome(false)).toBe("collides");
    // Logs still name its sessions, also where it comes as one that goes on, or under an id with the same end.
    expect(await outcome(false, `0${ONE.slice(1, 9)}0${ONE.slice(10)}` as ThreadId)).toBe("collides");
    expect(bad(await findThread(storage, ONE)).code).toBe("THREAD_NOT_FOUND");
    expect(await outcome(true)).toBe("added");
    expect(good(await findThread(storage, ONE))).toMatchObject({ kind: "ended", completedAt: 7 });
    expect(readFileSync(storage.paths.history, "utf8")).toBe(before);
    good(await removeThreads(storage, [ONE]));
    expect(bad(await findThread(storage, ONE)).code).toBe("THREAD_NOT_FOUND");
  });

  it("may come back active and end again: each end is removed by itself", async () => {
    const storage = tempStorage();
    const { workflow, start } = await endedThreads(storage, ONE);
    good(await removeThreads(storage, [ONE]));
    good(await addThread(storage, ONE, start));
    expect(good(await findThread(storage, ONE)).kind).toBe("active");
    good(appendHistory(storage, { thread: ONE, workflow, head: start, completedAt: 9, reason: "killed" }));
    expect(good(await findThread(storage, ONE))).toMatchObject({ completedAt: 9, reason: "killed" });
    expect([...good(readHistory(storage)).ended.keys()]).toEqual([ONE]);
    rmSync(storage.paths.threads);
    good(await removeThreads(storage, [ONE]));
    expect([...good(readHistory(storage)).ended.keys()]).toEqual([]);
    expect(good(readHistory(storage, ONE)).removed.get(ONE)).toMatchObject({ line: { head: start } });
  });

  it.each([{ thread: "x" }, { completedAt: "7" }, { completedAt: -1 }, { at: "9" }, { at: undefined }])(
    "takes no line with %j",
    async (field) => {
      const storage = tempStorage();
      await endedThreads(storage, ONE);
      const line = { thread: ONE, completedAt: 7, at: 9, ...field };
      writeFileSync(storage.paths.removed, `${JSON.stringify(line)}\n`);
      expect(bad(readHistory(storage))).toMatchObject({ code: "STORE_DAMAGED", file: storage.paths.removed });
    },
  );

  it("costs others nothing: removed.jsonl is read for threads that have ended only", async () => {
    const storage = tempStorage();
    await endedThreads(storage, ONE);
    writeFileSync(storage.paths.removed, "garbage\n");
    expect(good(readThreadHistory(storage, TWO))).toBeNull();
    expect(bad(readHistory(storage))).toMatchObject({
      code: "STORE_DAMAGED",
      file: storage.paths.removed,
      reason: "line 1: it is not {thread, completedAt, at}",
    });
  });
});
