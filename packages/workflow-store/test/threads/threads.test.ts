import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { acquireLock, fsStoreFile, releaseLock } from "@uncaged/json-cas-fs";
import type { ThreadId } from "@uncaged/workflow-protocol";
import { describe, expect, it } from "vitest";
import { completeEnding } from "../../src/archive.js";
import { appendHistory } from "../../src/history.js";
import {
  addThread,
  archiveThread,
  claimThread,
  findRuns,
  findThread,
  isHeldByUs,
  listThreads,
  openThreadList,
  readChain,
  readHeads,
  readHistory,
  readHolder,
  readRegistry,
  readThreadRecord,
  releaseClaim,
  setRegistry,
  writeEnding,
} from "../../src/index.js";
import { appendKey } from "../../src/threads/index.js";
import {
  addStep,
  bad,
  good,
  HASH_A,
  HASH_B,
  snapshot,
  startThread,
  THREAD,
  tempStorage,
  threadAt,
} from "../support/index.js";

const ENDED = { workflow: HASH_A, head: HASH_B, completedAt: 9, reason: "killed" } as const;

async function three() {
  const storage = tempStorage();
  good(await addThread(storage, threadAt(11), HASH_A));
  good(await addThread(storage, threadAt(12), HASH_A));
  good(appendHistory(storage, { thread: threadAt(23), ...ENDED }));
  return storage;
}

describe("findThread", () => {
  it("finds active and ended threads by their id, in lower case too", async () => {
    const storage = await three();
    for (const text of [threadAt(11), threadAt(11).toLowerCase()]) {
      expect(good(await findThread(storage, text))).toEqual({
        kind: "active",
        thread: threadAt(11),
        head: HASH_A,
      });
    }
    expect(good(await findThread(storage, threadAt(23)))).toEqual({
      kind: "ended",
      thread: threadAt(23),
      pending: false,
      ...ENDED,
    });
  });

  it("finds a thread by a unique prefix", async () => {
    const storage = await three();
    expect(good(await findThread(storage, threadAt(23).slice(0, 25))).thread).toBe(threadAt(23));
    expect(good(await findThread(storage, threadAt(23).slice(0, 25).toLowerCase())).thread).toBe(
      threadAt(23),
    );
  });

  it("lists the candidates of an ambiguous prefix, ended ones too", async () => {
    const storage = await three();
    expect(bad(await findThread(storage, "01arz"))).toEqual({
      code: "AMBIGUOUS_PREFIX",
      prefix: "01ARZ",
      candidates: [threadAt(11), threadAt(12), threadAt(23)],
    });
  });

  it("finds a thread by a unique end of at least 4 characters, in lower case too", async () => {
    const storage = tempStorage();
    const [one, two] = ["01KAJ5E8ZJ4N7XK3M9T2V6W8YB", "01KAJ5E8ZJ4N7XK3M9T2V60001"] as const;
    good(await addThread(storage, one as ThreadId, HASH_A));
    good(appendHistory(storage, { thread: two as ThreadId, ...ENDED }));
    for (const use of ["read", "change"] as const) {
      expect(good(await findThread(storage, "w8yb", null, use)).thread).toBe(one);
      expect(good(await findThread(storage, "0001", null, use)).thread).toBe(two);
      expect(bad(await findThread(storage, "8YB", null, use)).code).toBe("MALFORMED_THREAD_ID");
    }
    // It begins one and ends the other.
    good(await addThread(storage, "01KAJ5E8ZJ4N7XK3M9T2V601KA" as ThreadId, HASH_A));
    good(await addThread(storage, "01ZZZZZZZZZZZZZZZZZZZZ01KA" as ThreadId, HASH_A));
    expect(bad(await findThread(storage, "01KA", null, "change"))).toMatchObject({
      candidates: { length: 4 },
    });
  });

  it("takes an end that threads have because each stood in the other's place for the one that stands there", async () => {
    const storage = tempStorage();
    const [first, second, third] = ["01KAJ5E8ZJ", "01KAJ5E8ZK", "01KAJ5E900"].map(
      (time) => `${time}4N7XK3M9T2V6W8YB` as ThreadId,
    ) as [ThreadId, ThreadId, ThreadId];
    good(appendHistory(storage, { thread: first, ...ENDED }));
    good(appendHistory(storage, { thread: second, ...ENDED }));
    // All have ended: nobody stands there.
    expect(bad(await findThread(storage, "W8YB")).code).toBe("AMBIGUOUS_PREFIX");
    good(appendKey(storage, third, false));
    good(await addThread(storage, third, HASH_A));
    for (const use of ["read", "change"] as const)
      expect(good(await findThread(storage, "w8yb", null, use)).thread).toBe(third);
    // Who ends a thread says which.
    const all = { code: "AMBIGUOUS_PREFIX", candidates: [first, second, third] };
    expect(bad(await findThread(storage, "w8yb", null, "end"))).toMatchObject(all);
    // A beginning is none of an id's end, and two active ones are two.
    expect(bad(await findThread(storage, "01KAJ5E8Z")).code).toBe("AMBIGUOUS_PREFIX");
    good(await addThread(storage, "01KAJ5E9014N7XK3M9T2V6W8YB" as ThreadId, HASH_A));
    expect(bad(await findThread(storage, "W8YB")).code).toBe("AMBIGUOUS_PREFIX");
  });

  it("never takes an end for that of a successor where a stranger has it too", async () => {
    const storage = tempStorage();
    good(appendHistory(storage, { thread: "01KAJ5E8ZJ4N7XK3M9T2V6W8YB" as ThreadId, ...ENDED }));
    good(appendKey(storage, "01KAJ5E8ZK4N7XK3M9T2V6W8YB" as ThreadId, false));
    good(await addThread(storage, "01KAJ5E8ZK4N7XK3M9T2V6W8YB" as ThreadId, HASH_A));
    good(await addThread(storage, "01KAJ5E8ZK4N7XK3M9T2V7W8YB" as ThreadId, HASH_A));
    expect(bad(await findThread(storage, "W8YB"))).toMatchObject({ candidates: { length: 3 } });
    expect(good(await findThread(storage, "6W8YB")).thread).toBe("01KAJ5E8ZK4N7XK3M9T2V6W8YB");
  });

  it("to change it takes at least 4 characters, and lists what fewer could mean", async () => {
    const storage = tempStorage();
    good(await addThread(storage, threadAt(11), HASH_A));
    expect(good(await findThread(storage, "0")).thread).toBe(threadAt(11));
    for (const text of ["0", "01a", "01A"]) {
      expect(bad(await findThread(storage, text, null, "change"))).toEqual({
        code: "PREFIX_TOO_SHORT",
        prefix: text.toUpperCase(),
        shortest: 4,
        candidates: [threadAt(11)],
      });
    }
    expect(good(await findThread(storage, "01ar", null, "change")).thread).toBe(threadAt(11));
    expect(bad(await findThread(storage, "7", null, "change")).code).toBe("THREAD_NOT_FOUND");
    expect(bad(await findThread(await three(), "01ar", null, "change")).code).toBe("AMBIGUOUS_PREFIX");
  });

  it("finds one thread by a prefix though both places have it", async () => {
    const storage = tempStorage();
    good(await addThread(storage, THREAD, HASH_A));
    good(appendHistory(storage, { thread: THREAD, ...ENDED }));
    expect(good(await findThread(storage, "01"))).toMatchObject({ kind: "ended", head: HASH_B });
    expect(good(await listThreads(storage, { all: false }))).toEqual([]);
    expect(good(await listThreads(storage, { all: true }))).toHaveLength(1);
  });

  it.each([
    ["a full id", threadAt(99), "THREAD_NOT_FOUND"],
    ["a prefix", "7ZZZ", "THREAD_NOT_FOUND"],
    ["a node's hash", HASH_B, "MALFORMED_THREAD_ID"],
    ["a letter that ids do not have", "01ARU", "MALFORMED_THREAD_ID"],
    ["nothing", "", "MALFORMED_THREAD_ID"],
    ["a path", "../x", "MALFORMED_THREAD_ID"],
    ["too much", `${threadAt(11)}0`, "MALFORMED_THREAD_ID"],
  ])("refuses %s that no thread has", async (_, text, code) => {
    expect(bad(await findThread(await three(), text)).code).toBe(code);
  });

  it("finds nothing in a root that does not exist", async () => {
    const storage = tempStorage(join(tempStorage().root, "not-yet"));
    expect(bad(await findThread(storage, THREAD)).code).toBe("THREAD_NOT_FOUND");
    expect(good(await listThreads(storage, { all: true }))).toEqual([]);
    expect(existsSync(storage.root)).toBe(false);
  });

  it("counts a thread with an ending as ended, before anything is archived", async () => {
    const storage = tempStorage();
    const { start, workflow } = await startThread(storage);
    const ending = good(await writeEnding(storage, THREAD, { reason: "killed" }));
    const expected = { ...ending, kind: "ended", thread: THREAD, head: start, workflow, pending: true };
    expect(good(await findThread(storage, THREAD))).toEqual(expected);
    expect(good(await listThreads(storage, { all: false }))).toEqual([]);
    expect(good(await listThreads(storage, { all: true }))).toEqual([expected]);
  });

  it("stops at a damaged threads.yaml", async () => {
    const storage = await three();
    writeFileSync(storage.paths.threads, "oops\n");
    expect(bad(await findThread(storage, threadAt(11))).code).toBe("STORE_DAMAGED");
    expect(bad(await listThreads(storage, { all: false })).code).toBe("STORE_DAMAGED");
  });

  it("stops at a damaged line of history.jsonl that may concern the requested thread", async () => {
    const storage = await three();
    writeFileSync(storage.paths.history, "oops\n");
    expect(bad(await findThread(storage, threadAt(99))).code).toBe("STORE_DAMAGED");
    expect(bad(await listThreads(storage, { all: false })).code).toBe("STORE_DAMAGED");
  });
});

describe("a thread that nobody knows", () => {
  it("is not found, unless a damaged line of a large history may be about it", async () => {
    const storage = await three();
    for (let number = 100; number < 2600; number += 1) {
      const line = JSON.stringify({ thread: threadAt(number), ...ENDED });
      writeFileSync(storage.paths.history, `${line}\n`, { flag: "a" });
    }
    expect(bad(await findThread(storage, THREAD)).code).toBe("THREAD_NOT_FOUND");
    writeFileSync(storage.paths.history, "oops\n", { flag: "a" });
    const damaged = {
      code: "STORE_DAMAGED",
      file: storage.paths.history,
      reason: "line 2502: it is not {thread, workflow, head, completedAt, reason}",
    };
    expect(bad(await findThread(storage, THREAD))).toEqual(damaged);
    expect(bad(await findThread(storage, THREAD.slice(0, 25)))).toEqual(damaged);
    expect(bad(await claimThread(storage, THREAD, { waitMs: 0 }))).toEqual(damaged);
    expect(readHolder(storage, THREAD)).toBeNull();
    expect(good(await findThread(storage, threadAt(11))).kind).toBe("active");
    const claim = good(await claimThread(storage, threadAt(11), { waitMs: 0 }));
    good(releaseClaim(claim));
  });
});

describe("an open list", () => {
  it("knows the ids at once, and reads a thread's state on access", async () => {
    const storage = await three();
    const { start, workflow } = await startThread(storage);
    const ending = good(await writeEnding(storage, THREAD, { reason: "killed" }));
    const active = good(await openThreadList(storage, { all: false }));
    expect([...active.ids]).toEqual([THREAD, threadAt(11), threadAt(12)].sort());
    expect(active.state(THREAD)).toBeNull();
    expect(active.state(threadAt(23))).toBeNull();
    expect(active.state(threadAt(11))).toEqual({
      kind: "active",
      thread: threadAt(11),
      head: HASH_A,
      held: null,
      stuck: null,
    });
    const all = good(await openThreadList(storage, { all: true }));
    expect(all.ids).toHaveLength(4);
    expect(all.state(threadAt(23))).toMatchObject({ kind: "ended", ...ENDED });
    expect(all.state(THREAD)).toEqual({ kind: "ended", thread: THREAD, workflow, pending: true, ...ending });
    expect(ending.head).toBe(start);
    expect(all.state(threadAt(99))).toBeNull();
  });
});

describe("listThreads", () => {
  it("lists active threads by id, with all the ended ones between them", async () => {
    const storage = await three();
    good(appendHistory(storage, { thread: threadAt(5), ...ENDED }));
    const ids = async (all: boolean) =>
      good(await listThreads(storage, { all })).map((state) => state.thread);
    expect(await ids(false)).toEqual([threadAt(11), threadAt(12)]);
    expect(await ids(true)).toEqual([threadAt(5), threadAt(11), threadAt(12), threadAt(23)]);
  });

  it("lists threads whose head is missing, damaged, or no chain's", async () => {
    const storage = tempStorage();
    const { start } = await startThread(storage);
    const step = await addStep(storage, start);
    good(await addThread(storage, threadAt(2), HASH_A));
    good(await addThread(storage, threadAt(3), step));
    writeFileSync(fsStoreFile(storage.paths.cas, step), "damaged");
    expect(good(await listThreads(storage, { all: false })).map((state) => state.head)).toEqual([
      start,
      HASH_A,
      step,
    ]);
  });

  it("shows a thread as damaged whose end cannot be read", async () => {
    const storage = tempStorage();
    const { start } = await startThread(storage);
    good(await writeEnding(storage, THREAD, { reason: "killed" }));
    rmSync(fsStoreFile(storage.paths.cas, start));
    const fresh = tempStorage(storage.root);
    for (const all of [false, true]) {
      expect(good(await listThreads(fresh, { all }))).toMatchObject([
        { kind: "damaged", thread: THREAD, head: start, damage: { code: "CHAIN_DAMAGED" } },
      ]);
    }
    expect(bad(await findThread(fresh, THREAD)).code).toBe("CHAIN_DAMAGED");
    expect(bad(await claimThread(fresh, THREAD, { waitMs: 0 })).code).toBe("CHAIN_DAMAGED");
    expect(readHolder(fresh, THREAD)).toBeNull();
  });
});

describe("claimThread", () => {
  it("gives the head and keeps everybody else out until it is released", async () => {
    const storage = tempStorage();
    const { start } = await startThread(storage);
    const claim = good(await claimThread(storage, THREAD, { waitMs: 0 }));
    expect(claim).toMatchObject({ thread: THREAD, head: start });
    expect(readHolder(storage, THREAD)?.pid).toBe(process.pid);
    expect(bad(await claimThread(storage, THREAD, { waitMs: 0 }))).toMatchObject({
      code: "THREAD_BUSY",
      thread: THREAD,
      holder: expect.stringContaining(`pid ${process.pid}`),
    });
    good(releaseClaim(claim));
    expect(readHolder(storage, THREAD)).toBeNull();
    good(releaseClaim(good(await claimThread(storage, THREAD, { waitMs: 0 }))));
  });

  it("waits as long as requested", async () => {
    const storage = tempStorage();
    await startThread(storage);
    const claim = good(await claimThread(storage, THREAD, { waitMs: 0 }));
    const second = claimThread(storage, THREAD, { waitMs: 30_000 });
    good(releaseClaim(claim));
    good(releaseClaim(good(await second)));
  });

  it("gives the lock back for a thread that has ended or that nobody knows", async () => {
    const storage = tempStorage();
    good(appendHistory(storage, { thread: THREAD, ...ENDED }));
    expect(bad(await claimThread(storage, THREAD, { waitMs: 0 }))).toMatchObject({
      code: "THREAD_ENDED",
      reason: "killed",
    });
    expect(bad(await claimThread(storage, threadAt(9), { waitMs: 0 })).code).toBe("THREAD_NOT_FOUND");
    expect([readHolder(storage, THREAD), readHolder(storage, threadAt(9))]).toEqual([null, null]);
  });

  it("believes threads.yaml against the history: only an ending ends a thread that is listed", async () => {
    const storage = tempStorage();
    good(await addThread(storage, THREAD, HASH_A));
    good(appendHistory(storage, { thread: THREAD, ...ENDED }));
    const claim = good(await claimThread(storage, THREAD, { waitMs: 0 }));
    expect(claim.head).toBe(HASH_A);
    good(releaseClaim(claim));
  });

  it("leaves other threads free", async () => {
    const storage = await three();
    const claim = good(await claimThread(storage, threadAt(11), { waitMs: 0 }));
    good(releaseClaim(good(await claimThread(storage, threadAt(12), { waitMs: 0 }))));
    good(releaseClaim(claim));
  });
});

describe("isHeldByUs", () => {
  it("says whose lock it is by everything that names a process, not by the pid alone", async () => {
    const storage = tempStorage();
    const lock = join(storage.paths.locks, `thread-${THREAD}.lock`);
    expect(isHeldByUs(storage, THREAD)).toBe(false);
    await startThread(storage);
    const held = good(await claimThread(storage, THREAD, { waitMs: 0 }));
    expect(isHeldByUs(storage, THREAD)).toBe(true);
    const record = JSON.parse(readFileSync(lock, "utf8"));
    for (const other of [
      { pid: record.pid + 1 },
      { host: "another-host" },
      { bootId: "another-boot" },
      { machineId: "f".repeat(32) },
      { pidNamespace: "pid:[1]" },
      { startTime: "1" },
    ]) {
      writeFileSync(lock, JSON.stringify({ ...record, ...other }));
      expect({ other, ours: isHeldByUs(storage, THREAD) }).toEqual({ other, ours: false });
    }
    writeFileSync(lock, JSON.stringify(record));
    good(releaseClaim(held));
  });
});

describe("a kill", () => {
  it("decides while a step holds the thread, and archives once the step lets go", async () => {
    const storage = tempStorage();
    const { start, workflow } = await startThread(storage);
    const step = good(await claimThread(storage, THREAD, { waitMs: 0 }));
    const ending = good(await writeEnding(storage, THREAD, { reason: "killed" }));
    expect(bad(await claimThread(storage, THREAD, { waitMs: 0 })).code).toBe("THREAD_BUSY");
    good(releaseClaim(step));
    expect(good(readThreadRecord(storage, THREAD, "ending"))).toEqual(ending);
    expect(good(await completeEnding(storage, THREAD))).toEqual({ thread: THREAD, workflow, ...ending });
    expect(good(await findThread(storage, THREAD))).toMatchObject({
      kind: "ended",
      head: start,
      pending: false,
    });
  });
});

describe("the index lock", () => {
  it("is waited for by every writer of a mutable file", async () => {
    const storage = tempStorage();
    const { start, workflow } = await startThread(storage);
    const lock = await acquireLock(join(storage.paths.locks, "index.lock"), { waitMs: 0 });
    const before = snapshot(storage.root);
    const writers = Promise.all([
      addThread(storage, threadAt(2), start),
      setRegistry(storage, "x", workflow),
      writeEnding(storage, THREAD, { reason: "killed" }),
    ]);
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(snapshot(storage.root).filter((line) => !line.startsWith("locks"))).toEqual(
      before.filter((line) => !line.startsWith("locks")),
    );
    releaseLock(lock);
    expect((await writers).every((result) => result.ok)).toBe(true);
  });
});

describe("reads", () => {
  it("write nothing, not even to repair, and work on a root that is read-only", async () => {
    const storage = tempStorage();
    const { start, workflow } = await startThread(storage);
    good(await addThread(storage, threadAt(2), HASH_A));
    good(
      await archiveThread(storage, {
        thread: threadAt(2),
        head: HASH_A,
        workflow,
        reason: "end",
        completedAt: 1,
      }),
    );
    good(await setRegistry(storage, "solve-issue", workflow));
    good(await writeEnding(storage, THREAD, { reason: "killed" }));
    writeFileSync(storage.paths.history, "torn", { flag: "a" });
    mkdirSync(join(storage.paths.runs, THREAD, ".gone-x"));
    const before = snapshot(storage.root);
    const fresh = tempStorage(storage.root);
    chmodSync(storage.root, 0o555);
    try {
      good(await findThread(fresh, THREAD));
      good(await listThreads(fresh, { all: true }));
      good(await readHeads(fresh));
      good(readHistory(fresh));
      good(await readRegistry(fresh));
      good(findRuns(fresh, THREAD));
      good(readChain(fresh.cas, start));
    } finally {
      chmodSync(storage.root, 0o755);
    }
    expect(snapshot(storage.root)).toEqual(before);
  });
});

describe("a list that somebody is still reading", () => {
  it.each([true, false])(
    "does not show a thread as active that has ended meanwhile (all: %s)",
    async (all) => {
      const storage = await three();
      const { ids, state } = good(await openThreadList(storage, { all }));
      expect(ids).toContain(threadAt(11));
      // A whole archive: the head is gone, and so is its `ending`.
      good(appendHistory(storage, { thread: threadAt(11), ...ENDED }));
      expect(state(threadAt(11))).toEqual(
        all ? { kind: "ended", thread: threadAt(11), pending: false, ...ENDED } : null,
      );
      expect(state(threadAt(12))).toMatchObject({ kind: "active" });
    },
  );
});
