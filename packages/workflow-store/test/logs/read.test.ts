import { appendFileSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import {
  logDayOf,
  logDays,
  logOffset,
  readFailedHeads,
  readFailedRuns,
  readLogDay,
  type Storage,
} from "../../src/index.js";
import { bad, good, HASH_A, HASH_B, snapshot, THREAD, tempStorage, threadAt } from "../support/index.js";

const DAY = 86_400_000;
const NOON = Date.parse("2026-01-31T12:00:00Z");

function entry(timestamp: number, fields: Readonly<Record<string, unknown>> = {}) {
  return { tag: "4KNMR2PX", content: "something", timestamp, thread: THREAD, ...fields };
}

function log(storage: Storage, lines: readonly (object | string)[], timestamp = NOON): string {
  const { file } = logDayOf(storage, timestamp);
  mkdirSync(storage.paths.logs, { recursive: true });
  const texts = lines.map((line) => (typeof line === "string" ? line : JSON.stringify(line)));
  appendFileSync(file, texts.map((text) => `${text}\n`).join(""));
  return file;
}

const EVERYTHING = { since: null, thread: null };

function entries(storage: Storage, query: Parameters<typeof readLogDay>[1] = EVERYTHING) {
  return good(logDays(storage, query.since)).flatMap((day) => [...readLogDay(day, query)]);
}

describe("logDays", () => {
  it("names the days that can hold something since then, and opens no other", () => {
    const storage = tempStorage();
    for (const days of [0, 1, 2]) log(storage, [entry(NOON - days * DAY)], NOON - days * DAY);
    writeFileSync(join(storage.paths.logs, "notes.txt"), "not a day");
    expect(good(logDays(storage, NOON - DAY)).map(({ day }) => day)).toEqual(["2026-01-30", "2026-01-31"]);
    expect(good(logDays(storage, null))).toHaveLength(3);
    expect(good(logDays(tempStorage(), null))).toEqual([]);
  });

  it("refuses a folder of logs that is a file", () => {
    const storage = tempStorage();
    mkdirSync(storage.root, { recursive: true });
    writeFileSync(storage.paths.logs, "");
    expect(bad(logDays(storage, null)).code).toBe("IO_FAILED");
  });
});

describe("readLogDay", () => {
  it("gives the lines as they stand, by time and by thread", () => {
    const storage = tempStorage();
    const other = entry(NOON, { thread: threadAt(2) });
    const { thread: _thread, ...ours } = entry(NOON + 1);
    log(storage, [entry(NOON - 1, { role: "maker" }), other, ours]);
    expect(entries(storage).map((each) => each?.line)).toEqual([
      entry(NOON - 1, { role: "maker" }),
      other,
      ours,
    ]);
    expect(entries(storage, { since: NOON, thread: null }).map((each) => each?.thread)).toEqual([
      threadAt(2),
      null,
    ]);
    expect(entries(storage, { since: null, thread: THREAD }).map((each) => each?.timestamp)).toEqual([
      NOON - 1,
    ]);
  });

  it("marks torn and foreign lines and goes on after them", () => {
    const storage = tempStorage();
    const deep = `${'{"a":'.repeat(50)}1${"}".repeat(50)}`;
    const foreign = [
      '{"tag":"4KN',
      "\0\0\0",
      "[]",
      '{"tag":1,"content":"","timestamp":1}',
      entry(-1),
      entry(NOON, { thread: "x" }),
      deep,
    ];
    log(storage, [entry(NOON), ...foreign, "", entry(NOON + 1)]);
    const found = entries(storage);
    expect(found.filter((each) => each === null)).toHaveLength(foreign.length);
    expect(found.filter((each) => each !== null)).toHaveLength(2);
  });

  it("counts a last line that only lacks its newline", () => {
    const storage = tempStorage();
    const file = log(storage, [entry(NOON)]);
    appendFileSync(file, JSON.stringify(entry(NOON + 1)));
    expect(entries(storage)).toHaveLength(2);
  });

  it("writes nothing", () => {
    const storage = tempStorage();
    log(storage, [entry(NOON), "torn"]);
    const before = snapshot(storage.root);
    entries(storage);
    expect(snapshot(storage.root)).toEqual(before);
  });
});

describe("readLogDay, from a byte on", () => {
  function from(storage: Storage, offset: number) {
    const day = readLogDay(logDayOf(storage, NOON), EVERYTHING, { offset, unfinished: false });
    const timestamps: unknown[] = [];
    let next = day.next();
    for (; !next.done; next = day.next()) timestamps.push(next.value?.timestamp);
    return { timestamps, offset: next.value };
  }

  it("gives what was appended since, and waits for the end of a line that is being written", () => {
    const storage = tempStorage();
    const file = log(storage, [entry(NOON)]);
    const first = from(storage, 0);
    expect(first.timestamps).toEqual([NOON]);
    const text = JSON.stringify(entry(NOON + 1));
    appendFileSync(file, text.slice(0, 10));
    expect(from(storage, first.offset)).toEqual({ timestamps: [], offset: first.offset });
    appendFileSync(file, `${text.slice(10)}\n`);
    const second = from(storage, first.offset);
    expect(second.timestamps).toEqual([NOON + 1]);
    expect(from(storage, second.offset)).toEqual({ timestamps: [], offset: second.offset });
  });

  it("can start at the first complete line of the last bytes", () => {
    const storage = tempStorage();
    const line = `${JSON.stringify(entry(NOON))}\n`.length;
    log(storage, [entry(NOON), entry(NOON), entry(NOON)]);
    const day = logDayOf(storage, NOON);
    const offsets = [0, 1, line, line + 1, 2 * line, 2 * line + 1, 3 * line, 9 * line];
    expect(offsets.map((bytes) => logOffset(day, bytes) / line)).toEqual([0, 3, 3, 2, 2, 1, 0, 0]);
    expect(logOffset(logDayOf(storage, NOON + DAY), 10)).toBe(0);
  });

  it("finds nothing in a day that has not begun", () => {
    expect(from(tempStorage(), 0)).toEqual({ timestamps: [], offset: 0 });
  });
});

describe("readFailedRuns", () => {
  const here = { thread: THREAD, since: NOON };
  const failure = { outcome: "failed", code: "AGENT_FAILED", role: "maker", agent: "uwf-x", exitCode: 3 };

  it("gives the failed and abandoned runs of a thread, oldest first, with all that the log has of them", () => {
    const storage = tempStorage();
    log(storage, [
      entry(NOON - 1, { ...failure, head: HASH_A }),
      entry(NOON + 1, {
        ...failure,
        head: HASH_A,
        stderr: "oh",
        sessionId: "s-1",
        cwd: "/work",
        durationMs: 7,
      }),
      entry(NOON + 2, { outcome: "abandoned", code: "AGENT_BAD_RESULT", head: HASH_B, sessionId: "--no id" }),
      entry(NOON + 3, { outcome: "step", head: HASH_A }),
      entry(NOON + 4, { ...failure, head: HASH_A, thread: threadAt(2) }),
    ]);
    const unknown = { reason: null, role: null, agent: null, exitCode: null, stderr: null, hint: null };
    expect(good(readFailedRuns(storage, here))).toEqual([
      {
        failure: { ...unknown, ...failure, message: "something", stderr: "oh", timestamp: NOON + 1 },
        ...{ head: HASH_A, sessionId: "s-1", cwd: "/work", usage: null, extractUsage: null, durationMs: 7 },
      },
      {
        failure: {
          ...{ ...unknown, outcome: "abandoned", code: "AGENT_BAD_RESULT", message: "something" },
          timestamp: NOON + 2,
        },
        ...{ head: HASH_B, sessionId: null, cwd: null, usage: null, extractUsage: null, durationMs: null },
      },
    ]);
  });

  it("gives a run once, by its first line", () => {
    const storage = tempStorage();
    log(storage, [
      entry(NOON, { ...failure, head: HASH_A, run: "a" }),
      entry(NOON + 1, { outcome: "abandoned", code: "AGENT_BAD_RESULT", head: HASH_A, run: "a" }),
      entry(NOON + 2, { ...failure, head: HASH_A, run: "b" }),
      entry(NOON + 3, { outcome: "abandoned", head: HASH_A, run: "b" }),
    ]);
    expect(
      good(readFailedRuns(storage, here)).map((run) => [run.failure.outcome, run.failure.timestamp]),
    ).toEqual([
      ["failed", NOON],
      ["failed", NOON + 2],
    ]);
  });

  it("finds none where there is no log", () => {
    expect(good(readFailedRuns(tempStorage(), here))).toEqual([]);
  });
});

describe("readFailedHeads", () => {
  it("gives the heads at which the newest run of every thread failed, over all days", () => {
    const storage = tempStorage();
    const failed = { outcome: "failed", head: HASH_A };
    log(
      storage,
      [entry(NOON - DAY, failed), entry(NOON - DAY, { ...failed, thread: threadAt(2) })],
      NOON - DAY,
    );
    log(storage, [
      entry(NOON, { outcome: "abandoned", head: HASH_B }),
      entry(NOON, { outcome: "step", head: HASH_A }),
      entry(NOON, { outcome: "failed" }),
      entry(NOON, { thread: threadAt(3), outcome: "waiting", head: HASH_A }),
      entry(NOON, { thread: threadAt(4), outcome: "failed", head: HASH_A }),
      entry(NOON, { thread: threadAt(4), outcome: "failed", head: HASH_B }),
      entry(NOON, { thread: threadAt(4), outcome: "failed", head: HASH_B, code: "INTERRUPTED" }),
    ]);
    expect([...good(readFailedHeads(storage))]).toEqual([
      [THREAD, new Set([HASH_A, HASH_B])],
      [threadAt(2), new Set([HASH_A])],
      [threadAt(4), new Set([HASH_A])],
    ]);
  });

  it("is not deceived by the words of an agent, nor by a torn line", () => {
    const storage = tempStorage();
    const words = '{"outcome":"failed","head":"0123456789ABC"}';
    log(storage, [
      entry(NOON, { outcome: "step", head: HASH_B, stderr: words }),
      `{"outcome":"failed"${words}`,
    ]);
    expect([...good(readFailedHeads(storage))]).toEqual([]);
  });

  it("looks at the end of a long log only", () => {
    const storage = tempStorage();
    log(storage, [entry(NOON - DAY, { outcome: "failed", head: HASH_A })], NOON - DAY);
    const long = entry(NOON, { stderr: "x".repeat(1_000_000) });
    for (let count = 0; count < 34; count += 1) log(storage, [long]);
    log(storage, [entry(NOON, { thread: threadAt(2), outcome: "failed", head: HASH_B })]);
    expect([...good(readFailedHeads(storage)).keys()]).toEqual([threadAt(2)]);
  });
});
