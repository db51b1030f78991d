import { appendFileSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { ThreadId } from "@uncaged/workflow-protocol";
import { describe, expect, it } from "vitest";
import { appendHistory } from "../../src/history.js";
import { addThread, findThread, LATEST, logDayOf, openThreadList, type Storage } from "../../src/index.js";
import { bad, good, HASH_A, HASH_B, tempStorage, threadAt } from "../support/index.js";

const HERE = "/projects/here";
const NOON = Date.parse("2026-01-31T12:00:00Z");

async function start(storage: Storage, number: number, folder: string): Promise<void> {
  good(await addThread(storage, threadAt(number), HASH_A, folder));
}

/** A thread that has ended, and the line about its start. */
function end(storage: Storage, number: number, cwd: string, event = "started"): void {
  const thread = threadAt(number);
  good(appendHistory(storage, { thread, workflow: HASH_A, head: HASH_B, completedAt: 9, reason: "end" }));
  mkdirSync(storage.paths.logs, { recursive: true });
  const line = { tag: "V3HQ8WD5", content: "started", timestamp: NOON, thread, event, cwd };
  appendFileSync(logDayOf(storage, NOON).file, `${JSON.stringify(line)}\n`);
}

function child(storage: Storage, number: number, parent: number): void {
  const line = {
    child: threadAt(number),
    parent: threadAt(parent),
    head: HASH_A,
    role: "r",
    item: null,
    at: 1,
  };
  appendFileSync(storage.paths.children, `${JSON.stringify(line)}\n`);
}

const latest = async (storage: Storage): Promise<ThreadId> =>
  good(await findThread(storage, LATEST, HERE)).thread;

describe("latest", () => {
  it("is the newest thread that was started in the folder", async () => {
    const storage = tempStorage();
    await start(storage, 1, HERE);
    await start(storage, 2, HERE);
    await start(storage, 3, "/projects/elsewhere");
    expect(await latest(storage)).toBe(threadAt(2));
    expect(good(await findThread(storage, LATEST, HERE, "change")).thread).toBe(threadAt(2));
  });

  it("may have ended: a command that changes it must not hit an older one", async () => {
    const storage = tempStorage();
    await start(storage, 1, HERE);
    end(storage, 2, HERE);
    end(storage, 3, HERE, "forked");
    end(storage, 4, "/projects/elsewhere");
    expect(good(await findThread(storage, LATEST, HERE))).toMatchObject({
      kind: "ended",
      thread: threadAt(3),
    });
    await start(storage, 5, HERE);
    expect(await latest(storage)).toBe(threadAt(5));
  });

  it("is nobody where a thread has ended and the log that says where cannot be read", async () => {
    const storage = tempStorage();
    await start(storage, 1, HERE);
    end(storage, 2, HERE);
    const { file } = logDayOf(storage, NOON);
    rmSync(file);
    mkdirSync(file);
    expect(bad(await findThread(storage, LATEST, HERE, "change")).code).not.toBe("NO_LATEST_THREAD");
  });

  it("is no thread that another one has started", async () => {
    const storage = tempStorage();
    await start(storage, 1, HERE);
    await start(storage, 2, HERE);
    child(storage, 2, 1);
    end(storage, 3, HERE);
    child(storage, 3, 1);
    expect(await latest(storage)).toBe(threadAt(1));
  });

  it("is that of the nearest folder above, as far as the project goes", async () => {
    const storage = tempStorage();
    const project = mkdtempSync(join(tmpdir(), "uwf-project-"));
    const inside = join(project, "a/b");
    mkdirSync(inside, { recursive: true });
    const found = async (folder: string) => findThread(storage, LATEST, folder);
    await start(storage, 1, dirname(project));
    expect(bad(await found(inside)).code).toBe("NO_LATEST_THREAD");
    mkdirSync(join(project, ".workflows"));
    await start(storage, 2, project);
    expect(good(await found(inside)).thread).toBe(threadAt(2));
    end(storage, 3, join(project, "a"));
    await start(storage, 4, project);
    expect(good(await found(inside)).thread).toBe(threadAt(3));
    expect(good(await found(project)).thread).toBe(threadAt(4));
    await start(storage, 5, join(project, "c"));
    expect(good(await found(inside)).thread).toBe(threadAt(3));
    mkdirSync(join(project, "a/.git"));
    expect(good(await found(inside)).thread).toBe(threadAt(3));
    mkdirSync(join(inside, ".git"));
    expect(bad(await found(inside)).code).toBe("NO_LATEST_THREAD");
    rmSync(project, { recursive: true });
  });

  it("is refused where nothing was started, and is no id without a folder", async () => {
    const storage = tempStorage();
    await start(storage, 1, "/projects/elsewhere");
    expect(bad(await findThread(storage, LATEST, HERE))).toMatchObject({
      code: "NO_LATEST_THREAD",
      folder: HERE,
    });
    expect(bad(await findThread(storage, LATEST)).code).toBe("MALFORMED_THREAD_ID");
  });
});

describe("a list of threads", () => {
  it("knows the ids of all threads, whichever it lists", async () => {
    const storage = tempStorage();
    await start(storage, 1, HERE);
    end(storage, 2, HERE);
    for (const all of [false, true]) {
      const list = good(await openThreadList(storage, { all }));
      expect([...list.everyId()].sort()).toEqual([threadAt(1), threadAt(2)]);
      expect(list.ended(threadAt(2))).toBe(true);
      expect(list.ended(threadAt(1))).toBe(false);
    }
  });
});
