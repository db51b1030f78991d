import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { HoldRecord, ThreadId } from "@uncaged/workflow-protocol";
import { describe, expect, it } from "vitest";
import {
  findBlocker,
  findHeld,
  giveToRemote,
  isOnRemote,
  pauseThread,
  readHold,
  readThreadRecord,
  resumeThread,
  type Storage,
  writeEnding,
  writeThreadRecord,
} from "../../src/index.js";
import { bad, good, HASH_A, HASH_B, startThread, THREAD, tempStorage, threadAt } from "../support/index.js";

const COMMON = {
  head: HASH_A,
  role: "developer",
  agent: null,
  since: 5,
  config: "stamp",
  told: false,
  at: 7,
} as const;

const ANSWER: HoldRecord = { ...COMMON, for: "answer", question: "Ship?", threads: [], until: null };

function awaiting(...threads: readonly ThreadId[]): HoldRecord {
  const awaited = threads.map((thread) => ({ thread, head: HASH_A, held: false }));
  return { ...COMMON, for: "threads", question: null, threads: awaited, until: null };
}

const LIMIT: HoldRecord = {
  ...COMMON,
  for: "limit",
  question: "more?",
  threads: [],
  until: null,
  limit: { of: THREAD, limit: "maxSteps", max: 3, spent: 3, stamp: "s" },
};

function plant(storage: Storage, name: string, record: unknown, thread = THREAD): string {
  const file = join(storage.paths.runs, thread, name);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, typeof record === "string" ? record : JSON.stringify(record));
  return file;
}

describe("findHeld", () => {
  it("reads what a thread waits for only where it is not paused", async () => {
    const storage = tempStorage();
    const place = { thread: THREAD, head: HASH_A };
    plant(storage, "hold.json", "{}");
    expect(bad(await findHeld(storage, place)).code).toBe("STORE_DAMAGED");
    plant(storage, "pause.json", { since: 5, why: "lunch", remote: false });
    expect(good(await findHeld(storage, place))).toMatchObject({ for: "resume", question: "lunch" });
  });
});

describe("readHold", () => {
  it.each([
    ANSWER,
    awaiting(threadAt(2), threadAt(3)),
    LIMIT,
    { ...ANSWER, until: 9, agent: "uwf-x", at: 8 },
  ])("gives what was written, for $for", (record) => {
    const storage = tempStorage();
    good(writeThreadRecord(storage, THREAD, "hold", record));
    expect(good(readHold(storage, { thread: THREAD, head: HASH_A }))).toEqual(record);
  });

  it("gives nothing at another head, and where there is no file", () => {
    const storage = tempStorage();
    expect(good(readHold(storage, { thread: THREAD, head: HASH_A }))).toBeNull();
    good(writeThreadRecord(storage, THREAD, "hold", ANSWER));
    expect(good(readHold(storage, { thread: THREAD, head: HASH_B }))).toBeNull();
  });

  const limit = LIMIT.for === "limit" ? LIMIT.limit : null;
  it.each([
    "",
    "null",
    "[]",
    { ...ANSWER, for: "weather" },
    { ...ANSWER, head: "x" },
    { ...ANSWER, role: 1 },
    { ...ANSWER, agent: 1 },
    { ...ANSWER, since: "5" },
    { ...ANSWER, since: -1 },
    { ...ANSWER, config: null },
    { ...ANSWER, told: 1 },
    { ...ANSWER, at: "7" },
    { ...ANSWER, question: 1 },
    { ...ANSWER, until: "9" },
    { ...ANSWER, threads: {} },
    { ...awaiting(threadAt(2)), threads: [] },
    { ...awaiting(threadAt(2)), threads: [{ thread: "x", head: HASH_A }] },
    { ...awaiting(threadAt(2)), threads: [{ thread: THREAD, head: "x" }] },
    { ...awaiting(threadAt(2)), threads: [{ thread: THREAD, head: HASH_A, held: 1 }] },
    { ...awaiting(threadAt(2)), threads: [null] },
    { ...LIMIT, question: null },
    { ...LIMIT, limit: null },
    { ...LIMIT, limit: { ...limit, of: "x" } },
    { ...LIMIT, limit: { ...limit, limit: "maxWords" } },
    { ...LIMIT, limit: { ...limit, max: "3" } },
    { ...LIMIT, limit: { ...limit, spent: null } },
    { ...LIMIT, limit: { ...limit, stamp: 1 } },
  ])("refuses %j", (record) => {
    const storage = tempStorage();
    const file = plant(storage, "hold.json", record);
    expect(bad(readHold(storage, { thread: THREAD, head: HASH_A }))).toEqual({
      code: "STORE_DAMAGED",
      file,
      reason: "it does not say what is waited for",
    });
  });
});

describe("a pause", () => {
  it("keeps its time and its reason, and ends", async () => {
    const storage = tempStorage();
    await startThread(storage);
    expect(good(readThreadRecord(storage, THREAD, "pause"))).toBeNull();
    good(await pauseThread(storage, THREAD, "lunch"));
    const first = good(readThreadRecord(storage, THREAD, "pause"));
    expect(first).toEqual({ since: expect.any(Number), why: "lunch", remote: false });
    good(await pauseThread(storage, THREAD, null));
    expect(good(readThreadRecord(storage, THREAD, "pause"))).toEqual(first);
    good(await pauseThread(storage, THREAD, "dinner"));
    expect(good(readThreadRecord(storage, THREAD, "pause"))).toEqual({ ...first, why: "dinner" });
    good(await resumeThread(storage, THREAD));
    good(await resumeThread(storage, THREAD));
    expect(good(readThreadRecord(storage, THREAD, "pause"))).toBeNull();
  });

  it("of a thread that a remote has is neither made nor ended here", async () => {
    const storage = tempStorage();
    await startThread(storage);
    good(await giveToRemote(storage, THREAD));
    const given = good(readThreadRecord(storage, THREAD, "pause"));
    expect(given).toMatchObject({ why: null, remote: true });
    good(await giveToRemote(storage, THREAD));
    good(await pauseThread(storage, THREAD, "lunch"));
    good(await resumeThread(storage, THREAD));
    expect([good(readThreadRecord(storage, THREAD, "pause")), isOnRemote(storage, THREAD)]).toEqual([
      given,
      true,
    ]);
    expect(isOnRemote(storage, threadAt(2))).toBe(false);
  });

  it("is refused for a thread that has ended or that nobody knows", async () => {
    const storage = tempStorage();
    await startThread(storage);
    good(await writeEnding(storage, THREAD, { reason: "killed" }));
    expect(bad(await pauseThread(storage, THREAD, null)).code).toBe("THREAD_ENDED");
    expect(bad(await pauseThread(storage, threadAt(9), null)).code).toBe("THREAD_NOT_FOUND");
    expect([THREAD, threadAt(9)].map((thread) => good(readThreadRecord(storage, thread, "pause")))).toEqual([
      null,
      null,
    ]);
  });

  it.each(["", "{}", { since: "5", why: null }, { since: 5, why: 1 }, { since: 5, why: null, remote: 1 }])(
    "is not %j",
    (record) => {
      const storage = tempStorage();
      const file = plant(storage, "pause.json", record);
      const before = readFileSync(file, "utf8");
      expect(bad(readThreadRecord(storage, THREAD, "pause"))).toMatchObject({ code: "STORE_DAMAGED", file });
      expect(readFileSync(file, "utf8")).toBe(before);
    },
  );
});

describe("findBlocker", () => {
  const [ONE, TWO, THREE, FOUR] = [threadAt(1), threadAt(2), threadAt(3), threadAt(4)];
  const at = (storage: Storage, thread: ThreadId, record: HoldRecord) =>
    good(writeThreadRecord(storage, thread, "hold", record));
  const found = (storage: Storage) => findBlocker(storage, { thread: ONE, head: HASH_A });

  it("finds nothing where the thread waits for no others, or where those only have to be stepped", () => {
    const storage = tempStorage();
    expect(found(storage)).toBeNull();
    at(storage, ONE, ANSWER);
    expect(found(storage)).toBeNull();
    at(storage, ONE, awaiting(TWO, THREE));
    expect(found(storage)).toBeNull();
  });

  it("follows threads that wait for threads to the one that waits for something else", () => {
    const storage = tempStorage();
    at(storage, ONE, awaiting(TWO));
    at(storage, TWO, awaiting(THREE, FOUR));
    at(storage, FOUR, { ...ANSWER, agent: "uwf-ask" });
    expect(found(storage)).toEqual({
      thread: FOUR,
      held: {
        for: "answer",
        role: "developer",
        question: "Ship?",
        threads: [],
        since: 5,
        until: null,
        limit: null,
        waitingSince: 7,
      },
    });
  });

  it("names one at a limit before one that waits for an answer", () => {
    const storage = tempStorage();
    at(storage, ONE, awaiting(TWO, THREE));
    at(storage, TWO, ANSWER);
    at(storage, THREE, LIMIT);
    expect(found(storage)).toMatchObject({
      thread: THREE,
      held: { for: "limit", limit: { of: THREAD, limit: "maxSteps", max: 3, spent: 3 } },
    });
  });

  it("names a paused one by its pause, whatever else it waits for", () => {
    const storage = tempStorage();
    at(storage, ONE, awaiting(TWO, THREE));
    at(storage, TWO, awaiting(FOUR));
    plant(storage, "pause.json", { since: 5, why: "lunch", remote: false }, TWO);
    plant(storage, "pause.json", { since: 6, why: null, remote: true }, THREE);
    expect(found(storage)).toEqual({
      thread: TWO,
      held: {
        for: "resume",
        role: null,
        question: "lunch",
        threads: [],
        since: 5,
        until: null,
        limit: null,
        waitingSince: 5,
      },
    });
    writeFileSync(join(storage.paths.runs, TWO, "pause.json"), "oops");
    expect(found(storage)).toMatchObject({ thread: THREE, held: { for: "remote" } });
  });

  it("ends where threads wait for each other", () => {
    const storage = tempStorage();
    at(storage, ONE, awaiting(TWO));
    at(storage, TWO, awaiting(TWO, THREE));
    at(storage, THREE, awaiting(TWO, ONE));
    expect(found(storage)).toBeNull();
  });

  it("looks where the others stood when the wait began", () => {
    const storage = tempStorage();
    at(storage, ONE, awaiting(TWO));
    at(storage, TWO, { ...ANSWER, head: HASH_B });
    expect(found(storage)).toBeNull();
  });
});
