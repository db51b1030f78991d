import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { appendHistory } from "../../src/history.js";
import {
  addThread,
  advanceHead,
  archiveThread,
  claimThread,
  readHeads,
  readHistory,
  readThreadRecord,
  releaseClaim,
  unlock,
  writeEnding,
} from "../../src/index.js";
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

describe("addThread", () => {
  it("adds a line, in any order of ids", async () => {
    const storage = tempStorage();
    for (const n of [2, 1, 3]) good(await addThread(storage, threadAt(n), HASH_A));
    expect(readFileSync(storage.paths.threads, "utf8")).toBe(
      [1, 2, 3].map((n) => `${threadAt(n)}: "${HASH_A}"\n`).join(""),
    );
  });

  it("never re-points a thread that exists or has ended", async () => {
    const storage = tempStorage();
    good(await addThread(storage, THREAD, HASH_A));
    expect(bad(await addThread(storage, THREAD, HASH_B)).code).toBe("INVALID_INPUT");
    good(
      appendHistory(storage, {
        thread: threadAt(2),
        workflow: HASH_A,
        head: HASH_A,
        completedAt: 1,
        reason: "end",
      }),
    );
    expect(bad(await addThread(storage, threadAt(2), HASH_B)).code).toBe("INVALID_INPUT");
    expect(Object.fromEntries(good(await readHeads(storage)))).toEqual({ [THREAD]: HASH_A });
  });

  it("keeps what a person wrote beside the threads", async () => {
    const storage = tempStorage();
    writeFileSync(storage.paths.threads, `# do not touch\n${THREAD}: ${HASH_A} # mine\n`);
    good(await addThread(storage, threadAt(2), HASH_B));
    expect(readFileSync(storage.paths.threads, "utf8")).toBe(
      `# do not touch\n${THREAD}: "${HASH_A}" # mine\n${threadAt(2)}: "${HASH_B}"\n`,
    );
  });

  it.each(["", "- x\n", `${THREAD}: "0123`, "threads\n", "{"])(
    "stops before a threads.yaml of %j and leaves it untouched",
    async (text) => {
      const storage = tempStorage();
      writeFileSync(storage.paths.threads, text);
      expect(bad(await addThread(storage, threadAt(2), HASH_A))).toMatchObject({ code: "STORE_DAMAGED" });
      expect(readFileSync(storage.paths.threads, "utf8")).toBe(text);
    },
  );

  it("refuses a storage root that is a file", async () => {
    const storage = tempStorage();
    writeFileSync(join(storage.root, "file"), "");
    const below = tempStorage(join(storage.root, "file"));
    expect(bad(await addThread(below, THREAD, HASH_A)).code).toBe("STORAGE_ROOT_UNUSABLE");
  });

  it("gives the index lock back, also when it refuses", async () => {
    const storage = tempStorage();
    good(await addThread(storage, THREAD, HASH_A));
    bad(await addThread(storage, THREAD, HASH_A));
    expect(existsSync(join(storage.paths.locks, "index.lock"))).toBe(false);
  });
});

describe("advanceHead", () => {
  it("moves the head from where it is expected", async () => {
    const storage = tempStorage();
    good(await addThread(storage, THREAD, HASH_A));
    good(await advanceHead(storage, { thread: THREAD, expected: HASH_A, next: HASH_B }));
    expect(good(await readHeads(storage)).get(THREAD)).toBe(HASH_B);
  });

  it("refuses when somebody else moved it", async () => {
    const storage = tempStorage();
    good(await addThread(storage, THREAD, HASH_A));
    expect(bad(await advanceHead(storage, { thread: THREAD, expected: HASH_B, next: HASH_B }))).toEqual({
      code: "HEAD_MOVED",
      thread: THREAD,
      expected: HASH_B,
      found: HASH_A,
    });
    expect(good(await readHeads(storage)).get(THREAD)).toBe(HASH_A);
  });

  it("refuses a thread that nobody knows", async () => {
    expect(
      bad(await advanceHead(tempStorage(), { thread: THREAD, expected: HASH_A, next: HASH_B })).code,
    ).toBe("THREAD_NOT_FOUND");
  });

  it("never revives a thread that a kill has ended in the meantime", async () => {
    const storage = tempStorage();
    const { start } = await startThread(storage);
    const next = await addStep(storage, start);
    good(await writeEnding(storage, THREAD, { reason: "killed" }));
    expect(bad(await advanceHead(storage, { thread: THREAD, expected: start, next }))).toEqual({
      code: "THREAD_ENDED",
      thread: THREAD,
      reason: "killed",
    });
    expect(good(await readHeads(storage)).get(THREAD)).toBe(start);
  });

  it("moves nothing once the root was moved away, and makes no new one in its place", async () => {
    const storage = tempStorage();
    const { start } = await startThread(storage);
    const next = await addStep(storage, start);
    const claim = good(await claimThread(storage, THREAD, { waitMs: 0 }));
    const move = { thread: THREAD, expected: start, next, claim };
    const { root } = storage;
    renameSync(root, `${root}-moved`);
    const lost = { code: "CLAIM_LOST", thread: THREAD, movedFrom: root };
    expect(bad(await advanceHead(storage, move))).toEqual(lost);
    expect(existsSync(root)).toBe(false);
    // Another root stands there.
    cpSync(`${root}-moved`, root, { recursive: true });
    expect(bad(await advanceHead(storage, move))).toEqual(lost);
    rmSync(root, { recursive: true });
    renameSync(`${root}-moved`, root);
    good(await advanceHead(storage, move));
    good(releaseClaim(claim));
  });

  it("moves nothing once the claim was taken away, though the head is where it was", async () => {
    const storage = tempStorage();
    const { start } = await startThread(storage);
    const next = await addStep(storage, start);
    const claim = good(await claimThread(storage, THREAD, { waitMs: 0 }));
    const move = { thread: THREAD, expected: start, next, claim };
    good(unlock(storage, THREAD, true));
    expect(bad(await advanceHead(storage, move))).toEqual({
      code: "CLAIM_LOST",
      thread: THREAD,
      movedFrom: null,
    });
    const other = good(await claimThread(storage, THREAD, { waitMs: 0 }));
    expect(bad(await advanceHead(storage, move))).toEqual({
      code: "CLAIM_LOST",
      thread: THREAD,
      movedFrom: null,
    });
    expect(good(await readHeads(storage)).get(THREAD)).toBe(start);
    good(await advanceHead(storage, { ...move, claim: other }));
    expect(good(await readHeads(storage)).get(THREAD)).toBe(next);
    good(releaseClaim(other));
  });

  it("says how a thread ended that is no longer listed", async () => {
    const storage = tempStorage();
    const ended = { thread: THREAD, workflow: HASH_A, head: HASH_A, completedAt: 1, reason: "end" } as const;
    good(appendHistory(storage, ended));
    const moved = await advanceHead(storage, { thread: THREAD, expected: HASH_A, next: HASH_B });
    expect(bad(moved)).toMatchObject({ code: "THREAD_ENDED", reason: "end" });
  });

  it("asks the history of no thread that is listed", async () => {
    const storage = tempStorage();
    good(await addThread(storage, THREAD, HASH_A));
    writeFileSync(storage.paths.history, "oops\n");
    good(await advanceHead(storage, { thread: THREAD, expected: HASH_A, next: HASH_B }));
    const unlisted = { thread: threadAt(7), expected: HASH_A, next: HASH_B };
    expect(bad(await advanceHead(storage, unlisted)).code).toBe("STORE_DAMAGED");
  });
});

describe("writeEnding", () => {
  it("records the head of this moment and keeps the first decision", async () => {
    const storage = tempStorage();
    const { start } = await startThread(storage);
    const first = good(await writeEnding(storage, THREAD, { reason: "killed" }));
    expect(first).toMatchObject({ head: start, reason: "killed" });
    expect(good(await writeEnding(storage, THREAD, { reason: "end" }))).toEqual(first);
    expect(good(readThreadRecord(storage, THREAD, "ending"))).toEqual(first);
  });

  it("refuses unknown and ended threads and unreadable heads, and writes nothing", async () => {
    const storage = tempStorage();
    const { start, workflow } = await startThread(storage);
    good(await addThread(storage, threadAt(2), HASH_A));
    const archive = { thread: THREAD, head: start, workflow, reason: "end", completedAt: 5 } as const;
    good(await archiveThread(storage, archive));
    const before = snapshot(storage.paths.runs);
    expect(bad(await writeEnding(storage, THREAD, { reason: "killed" }))).toMatchObject({
      code: "THREAD_ENDED",
      reason: "end",
    });
    expect(bad(await writeEnding(storage, threadAt(2), { reason: "killed" })).code).toBe("CHAIN_DAMAGED");
    expect(bad(await writeEnding(storage, threadAt(3), { reason: "killed" })).code).toBe("THREAD_NOT_FOUND");
    expect(snapshot(storage.paths.runs)).toEqual(before);
  });

  it.each(["", "{}", "null", '{"head":"x","reason":"end","completedAt":1}', "[]"])(
    "stops before an ending of %j",
    async (text) => {
      const storage = tempStorage();
      const { start } = await startThread(storage);
      mkdirSync(join(storage.paths.runs, THREAD), { recursive: true });
      writeFileSync(join(storage.paths.runs, THREAD, "ending"), text);
      expect(bad(readThreadRecord(storage, THREAD, "ending")).code).toBe("STORE_DAMAGED");
      expect(bad(await advanceHead(storage, { thread: THREAD, expected: start, next: HASH_A })).code).toBe(
        "STORE_DAMAGED",
      );
      expect(good(readHistory(storage)).ended.size).toBe(0);
    },
  );
});
