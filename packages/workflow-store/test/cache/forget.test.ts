import { existsSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import type { HistoryReason } from "@uncaged/workflow-protocol";
import { describe, expect, it } from "vitest";
import { completeEnding } from "../../src/archive.js";
import { cacheHistory, wholeHistory } from "../../src/history-cache.js";
import { addThread, archiveThread, openHistory, type Storage, writeEnding } from "../../src/index.js";
import { addStep, good, startThread, THREAD, tempStorage, threadAt } from "../support/index.js";

/** Two threads on the same step, both with a cache, and what a crash left of the first one's. */
async function twoThreads() {
  const storage = tempStorage();
  const { start, workflow } = await startThread(storage);
  const head = await addStep(storage, start);
  const other = threadAt(2);
  good(await addThread(storage, other, head));
  for (const thread of [THREAD, other]) {
    const whole = good(wholeHistory(storage, thread, good(openHistory(storage.cas, head))));
    cacheHistory(storage, thread, start, whole);
  }
  return { storage, start, workflow, other };
}

function folder({ paths }: Storage): string {
  return join(paths.cache, "history");
}

describe("the cache of a thread that ends", () => {
  it.each<HistoryReason>(["end", "killed"])(
    "goes with its archive (%s), those of others stay",
    async (reason) => {
      const { storage, start, workflow, other } = await twoThreads();
      good(await archiveThread(storage, { thread: THREAD, head: start, workflow, reason, completedAt: 5 }));
      expect(readdirSync(folder(storage))).toEqual([`${other}.json`]);
    },
  );

  it("goes when another uwf completes the archive of a uwf that died", async () => {
    const { storage, other } = await twoThreads();
    good(await writeEnding(storage, THREAD, { reason: "killed" }));
    expect(existsSync(join(folder(storage), `${THREAD}.json`))).toBe(true);
    good(await completeEnding(storage, THREAD));
    expect(readdirSync(folder(storage))).toEqual([`${other}.json`]);
  });

  it("may be gone already, with the folder that it was in", async () => {
    const storage = tempStorage();
    const { start, workflow } = await startThread(storage);
    const end = { thread: THREAD, head: start, workflow, reason: "end", completedAt: 5 } as const;
    good(await archiveThread(storage, end));
    expect(existsSync(dirname(folder(storage)))).toBe(false);
  });
});
