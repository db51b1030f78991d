import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import type { HistoryLine } from "@uncaged/workflow-protocol";
import { createEventLog } from "@uncaged/workflow-util";
import { describe, expect, it } from "vitest";
import { completeEnding } from "../../src/archive.js";
import { decideEnd, dropHead, ensureHistoryLine } from "../../src/heads.js";
import {
  addThread,
  advanceHead,
  archiveThread,
  claimThread,
  findRuns,
  findThread,
  listThreads,
  logLeftRun,
  newRun,
  readHeads,
  readHistory,
  readThreadRecord,
  type Storage,
  writeEnding,
} from "../../src/index.js";
import { addStep, bad, good, HASH_A, startThread, THREAD, tempStorage, threadAt } from "../support/index.js";

async function running() {
  const storage = tempStorage();
  const { start, workflow } = await startThread(storage);
  good(newRun(storage, THREAD, { head: start, role: "developer", command: ["x"], token: "t", attempt: 1 }));
  const line: HistoryLine = { thread: THREAD, head: start, workflow, reason: "end", completedAt: 4711 };
  return { storage, start, workflow, line };
}

async function expectArchived(storage: Storage, line: HistoryLine): Promise<void> {
  expect([...good(readHistory(storage)).ended.values()]).toEqual([line]);
  expect(readFileSync(storage.paths.history, "utf8").trim().split("\n")).toHaveLength(1);
  expect(good(await readHeads(storage)).has(line.thread)).toBe(false);
  expect(existsSync(join(storage.paths.runs, line.thread))).toBe(false);
}

describe("a link in the place of a thread's runs", () => {
  it("is not followed: nothing is written or removed behind it", async () => {
    const { storage, line } = await running();
    const runs = join(storage.paths.runs, THREAD);
    const outside = join(storage.root, "outside");
    mkdirSync(outside, { recursive: true });
    writeFileSync(join(outside, "precious"), "kept");
    rmSync(runs, { recursive: true });
    symlinkSync(outside, runs);
    expect(bad(await archiveThread(storage, line))).toMatchObject({ code: "IO_FAILED", errno: "ELOOP" });
    const run = { head: line.head, role: "developer", command: ["x"], token: "t", attempt: 1 };
    expect(bad(newRun(storage, THREAD, run))).toMatchObject({ code: "IO_FAILED" });
    writeFileSync(
      join(outside, "ending"),
      JSON.stringify({ head: line.head, reason: "end", completedAt: 1 }),
    );
    good(await completeEnding(storage, THREAD));
    expect(readdirSync(outside).sort()).toEqual(["ending", "precious"]);
    expect(existsSync(runs)).toBe(false);
  });
});

/** Every line of the log. */
function logged(storage: Storage): readonly Readonly<Record<string, unknown>>[] {
  return readdirSync(storage.paths.logs).flatMap((day) =>
    readFileSync(join(storage.paths.logs, day), "utf8")
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line)),
  );
}

describe("what an archive logs about abandoned runs", () => {
  it("a run.json that cannot be read keeps no thread from ending, and leaves a trace", async () => {
    const { storage, line } = await running();
    const file = join(storage.paths.runs, THREAD, "t", "run.json");
    writeFileSync(file, "{");
    good(await writeEnding(storage, THREAD, { reason: "killed" }));
    const ended = good(await completeEnding(storage, THREAD));
    await expectArchived(storage, ended ?? line);
    expect(logged(storage)).toEqual([
      expect.objectContaining({ run: "t", outcome: "abandoned", code: "STORE_DAMAGED", file, head: null }),
    ]);
  });

  it("a run whose step is in the chain gave it, any other is abandoned, each in one line", async () => {
    const { storage, start, workflow } = await running();
    const next = await addStep(storage, start, true);
    const other = { head: start, role: "developer", command: ["x"], token: "u", attempt: 2 };
    good(newRun(storage, THREAD, other));
    writeFileSync(join(storage.paths.runs, THREAD, "t", "stdout"), `${next}\n`);
    good(await advanceHead(storage, { thread: THREAD, expected: start, next }));
    const end = { thread: THREAD, head: next, workflow, reason: "end", completedAt: 5 } as const;
    const runs = good(findRuns(storage, THREAD));
    good(await archiveThread(storage, end));
    const told = [
      { run: "t", outcome: "step", step: next, head: start },
      { run: "u", outcome: "abandoned", code: "THREAD_ENDED", attempt: 2 },
    ];
    const lines = [...logged(storage)].sort((a, b) => String(a.run).localeCompare(String(b.run)));
    expect(lines).toEqual(told.map((each) => expect.objectContaining(each)));
    const log = createEventLog({ dir: storage.paths.logs, now: storage.now, thread: THREAD });
    for (const run of runs) logLeftRun(storage, THREAD, run, { chain: null, code: "THREAD_ENDED" }, log);
    expect(logged(storage)).toHaveLength(2);
  });
});

describe("archiveThread", () => {
  it("records the end and removes the runs", async () => {
    const { storage, line } = await running();
    expect(good(await archiveThread(storage, line))).toEqual(line);
    await expectArchived(storage, line);
  });

  it("can be repeated", async () => {
    const { storage, line } = await running();
    good(await archiveThread(storage, line));
    expect(good(await archiveThread(storage, { ...line, completedAt: 9 }))).toEqual(line);
    await expectArchived(storage, line);
  });

  it("archives a kill that was decided first as the kill", async () => {
    const { storage, line } = await running();
    const ending = good(await writeEnding(storage, THREAD, { reason: "killed" }));
    const recorded = good(await archiveThread(storage, line));
    expect(recorded).toEqual({ ...line, ...ending });
    await expectArchived(storage, recorded);
  });

  it("leaves a trace of every run that a killed thread still has", async () => {
    const { storage, start } = await running();
    const dead = { role: "reviewer", command: ["y"], attempt: 1 };
    good(newRun(storage, THREAD, { ...dead, head: HASH_A, token: "older" }));
    good(await writeEnding(storage, THREAD, { reason: "killed" }));
    good(await completeEnding(storage, THREAD));
    const [day] = readdirSync(storage.paths.logs);
    const lines = readFileSync(join(storage.paths.logs, day ?? ""), "utf8")
      .trim()
      .split("\n");
    const told = lines.map((line) => JSON.parse(line)).sort((a, b) => b.run.localeCompare(a.run));
    expect(told).toMatchObject([
      {
        thread: THREAD,
        run: "t",
        role: "developer",
        agent: "x",
        head: start,
        outcome: "abandoned",
        attempt: 1,
      },
      { run: "older", role: "reviewer", head: HASH_A, outcome: "abandoned" },
    ]);
  });

  it("refuses a head that moved, and a thread that nobody knows", async () => {
    const { storage, start, line } = await running();
    const next = await addStep(storage, start);
    good(await advanceHead(storage, { thread: THREAD, expected: start, next }));
    expect(bad(await archiveThread(storage, line)).code).toBe("HEAD_MOVED");
    expect(bad(await archiveThread(storage, { ...line, thread: threadAt(9) })).code).toBe("THREAD_NOT_FOUND");
    expect(existsSync(storage.paths.history)).toBe(false);
    expect(existsSync(join(storage.paths.runs, THREAD, "ending"))).toBe(false);
  });

  it("leaves the other threads alone", async () => {
    const { storage, line } = await running();
    good(await addThread(storage, threadAt(2), HASH_A));
    good(await archiveThread(storage, line));
    expect([...good(await readHeads(storage))]).toEqual([[threadAt(2), HASH_A]]);
  });

  it("stops before a damaged history and records nothing", async () => {
    const { storage, line } = await running();
    writeFileSync(storage.paths.history, "oops\n");
    expect(bad(await archiveThread(storage, line)).code).toBe("STORE_DAMAGED");
    expect(bad(await writeEnding(storage, THREAD, { reason: "killed" })).code).toBe("STORE_DAMAGED");
    expect(good(readThreadRecord(storage, THREAD, "ending"))).toBeNull();
    expect(good(await readHeads(storage)).has(THREAD)).toBe(true);
    expect(readFileSync(storage.paths.history, "utf8")).toBe("oops\n");
  });

  it("goes on where more threads have ended than can be held as a whole", async () => {
    const { storage, line } = await running();
    const other = `${JSON.stringify({ ...line, thread: threadAt(900) })}\n`;
    const block = other.repeat(Math.ceil((1024 * 1024) / other.length));
    for (let written = 0; written <= 64 * 1024 * 1024; written += block.length) {
      appendFileSync(storage.paths.history, block);
    }
    expect(good(await archiveThread(storage, line))).toEqual(line);
    expect(good(await readHeads(storage)).has(THREAD)).toBe(false);
  });

  it("stops at a damaged line of the thread itself and records nothing", async () => {
    const { storage, line } = await running();
    const damaged = `{"thread":"${THREAD}"}\n`;
    writeFileSync(storage.paths.history, damaged);
    expect(bad(await archiveThread(storage, line)).code).toBe("STORE_DAMAGED");
    expect(good(await readHeads(storage)).has(THREAD)).toBe(true);
    expect(readFileSync(storage.paths.history, "utf8")).toBe(damaged);
  });
});

describe("completeEnding", () => {
  it("has nothing to do without an ending", async () => {
    const { storage } = await running();
    expect(good(await completeEnding(storage, THREAD))).toBeNull();
    expect(good(await readHeads(storage)).has(THREAD)).toBe(true);
  });

  // What a crash leaves behind after each step of the archive.
  const prefixes: readonly [string, (storage: Storage, line: HistoryLine) => Promise<void>][] = [
    ["the ending", async () => {}],
    ["a torn history line", async (storage) => writeFileSync(storage.paths.history, '{"thread":"01ARZ')],
    ["the history line", async (storage, line) => historyLine(storage, line)],
    ["the line of threads.yaml", dropped],
    [
      "a part of the runs",
      async (storage, line) => {
        await dropped(storage, line);
        mkdirSync(join(storage.paths.runs, THREAD, ".gone-t"), { recursive: true });
      },
    ],
  ];

  async function historyLine(storage: Storage, line: HistoryLine): Promise<void> {
    good(ensureHistoryLine(storage, THREAD, line, line.workflow));
  }

  async function dropped(storage: Storage, line: HistoryLine): Promise<void> {
    await historyLine(storage, line);
    good(await dropHead(storage, line));
  }

  it.each(prefixes)(
    "goes on after a crash behind %s; until then the thread counts as ended",
    async (_, rest) => {
      const { storage, line } = await running();
      good(await decideEnd(storage, line));
      await rest(storage, line);
      expect(good(await findThread(storage, THREAD))).toMatchObject({ ...line, kind: "ended" });
      expect(good(await listThreads(storage, { all: false }))).toEqual([]);
      expect(good(await listThreads(storage, { all: true }))).toMatchObject([line]);
      expect(
        bad(await advanceHead(storage, { thread: THREAD, expected: line.head, next: HASH_A })).code,
      ).toBe("THREAD_ENDED");
      expect(good(await completeEnding(storage, THREAD))).toEqual(line);
      await expectArchived(storage, line);
      expect(good(await completeEnding(storage, THREAD))).toBeNull();
    },
  );

  it.each(prefixes)("is done by whoever claims the thread after a crash behind %s", async (_, rest) => {
    const { storage, line } = await running();
    good(await decideEnd(storage, line));
    await rest(storage, line);
    expect(bad(await claimThread(storage, THREAD, { waitMs: 0 }))).toMatchObject({
      code: "THREAD_ENDED",
      reason: "end",
    });
    await expectArchived(storage, line);
    expect(existsSync(join(storage.paths.locks, `thread-${THREAD}.lock`))).toBe(false);
  });
});
