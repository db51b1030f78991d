import { readFileSync, writeFileSync } from "node:fs";
import type { HistoryLine } from "@uncaged/workflow-protocol";
import { describe, expect, it } from "vitest";
import { appendHistory, readThreadHistory } from "../../src/history.js";
import { readHistory } from "../../src/index.js";
import { bad, good, HASH_A, HASH_B, THREAD, tempStorage, threadAt } from "../support/index.js";

const LINE: HistoryLine = {
  thread: THREAD,
  workflow: HASH_A,
  head: HASH_B,
  completedAt: 1700,
  reason: "end",
};
const TEXT = `{"thread":"${THREAD}","workflow":"${HASH_A}","head":"${HASH_B}","completedAt":1700,"reason":"end"}\n`;

function storageWith(text: string | null) {
  const storage = tempStorage();
  if (text !== null) writeFileSync(storage.paths.history, text);
  return storage;
}

describe("history.jsonl", () => {
  it("takes a line without a reason, as the original uwf wrote it, for an end", () => {
    const storage = storageWith(TEXT.replace(',"reason":"end"', ""));
    expect(good(readHistory(storage)).ended.get(THREAD)?.reason).toBe("end");
  });

  it.each([null, ""])("is empty when it is %j", (text) => {
    expect(good(readHistory(storageWith(text))).ended.size).toBe(0);
  });

  it("is written line by line in fixed order of fields", () => {
    const storage = storageWith(null);
    good(appendHistory(storage, { ...LINE, ...{ extra: 1 } }));
    good(appendHistory(storage, { ...LINE, thread: threadAt(2), reason: "killed" }));
    expect(readFileSync(storage.paths.history, "utf8").startsWith(TEXT)).toBe(true);
    expect([...good(readHistory(storage)).ended.values()].map((line) => line.reason)).toEqual([
      "end",
      "killed",
    ]);
  });

  it("skips an unterminated last line, which the next append cuts off", () => {
    const storage = storageWith(TEXT + TEXT.slice(0, 40));
    expect(good(readHistory(storage)).ended.size).toBe(1);
    good(appendHistory(storage, { ...LINE, thread: threadAt(2) }));
    expect([...good(readHistory(storage)).ended.keys()]).toEqual([THREAD, threadAt(2)]);
  });

  it("counts a complete last record that only lacks its newline, as some editors leave it, and terminates it before the next", () => {
    const storage = storageWith(TEXT.trimEnd());
    expect([...good(readHistory(storage)).ended.keys()]).toEqual([THREAD]);
    good(appendHistory(storage, { ...LINE, thread: threadAt(2) }));
    expect([...good(readHistory(storage)).ended.keys()]).toEqual([THREAD, threadAt(2)]);
    expect(readFileSync(storage.paths.history, "utf8").startsWith(TEXT)).toBe(true);
  });

  it("skips a last line that is torn anywhere before its end, and cuts it off before the next", () => {
    for (let length = 1; length < TEXT.length - 1; length += 1) {
      expect(good(readHistory(storageWith(TEXT.slice(0, length)))).ended.size).toBe(0);
    }
    const storage = storageWith(TEXT.slice(0, -2));
    good(appendHistory(storage, { ...LINE, thread: threadAt(2) }));
    expect([...good(readHistory(storage)).ended.keys()]).toEqual([threadAt(2)]);
  });

  it("reads fields that it does not know, and CRLF, and keeps the first line of a thread", () => {
    const more = TEXT.replace("}", ',"note":"mine"}').replace("\n", "\r\n");
    expect(
      good(readHistory(storageWith(more + TEXT.replace('"end"', '"killed"')))).ended.get(THREAD),
    ).toEqual(LINE);
  });

  it.each([
    ["no JSON", "oops\n"],
    ["a torn line that others followed", TEXT.slice(0, 40) + TEXT],
    ["an empty line", "\n"],
    ["NUL bytes", `${"\0".repeat(20)}\n`],
    ["a list", "[]\n"],
    ["another thread id", TEXT.replace(THREAD, "x")],
    ["another workflow", TEXT.replace(HASH_A, "x")],
    ["no head", TEXT.replace("head", "hat")],
    ["a time that no date can be", TEXT.replace("1700", "8640000000000001")],
    ["a time in words", TEXT.replace("1700", '"now"')],
    ["another reason", TEXT.replace('"end"', '"tired"')],
  ])("with %s on line 2 is damaged there", (_, line) => {
    const text = TEXT + line + TEXT.replace(THREAD, threadAt(3));
    const storage = storageWith(text);
    expect(bad(readHistory(storage))).toMatchObject({
      code: "STORE_DAMAGED",
      file: storage.paths.history,
      reason: "line 2: it is not {thread, workflow, head, completedAt, reason}",
    });
    expect(readFileSync(storage.paths.history, "utf8")).toBe(text);
  });
});

/** Some 330 KiB: more than is checked whole for one thread. */
const MANY = 2500;
const LARGE = Array.from({ length: MANY }, (_, index) => TEXT.replace(THREAD, threadAt(index + 100))).join(
  "",
);

describe("history.jsonl as a whole", () => {
  it("gives the threads in the order in which they ended, each with its line", () => {
    const foreign = TEXT.replace(THREAD, threadAt(2)).replace("}", ',"note":"mine"}');
    const text = TEXT.replace(THREAD, threadAt(3)) + foreign + TEXT + TEXT.replace("end", "killed");
    const { ended } = good(readHistory(storageWith(text)));
    expect([...ended.keys()]).toEqual([threadAt(3), threadAt(2), THREAD]);
    expect(ended.get(THREAD)).toEqual(LINE);
    expect(ended.get(threadAt(2))).toEqual({ ...LINE, thread: threadAt(2) });
    expect([ended.has(THREAD), ended.has(threadAt(9))]).toEqual([true, false]);
  });

  it("gives those whose id begins or ends so, and checks the lines of the others all the same", () => {
    const text = TEXT + TEXT.replace(THREAD, threadAt(25)).replace("{", '{ "thread": "x", ');
    const { ended } = good(readHistory(storageWith(text), threadAt(25).slice(0, 25)));
    expect([...ended.keys()]).toEqual([threadAt(25)]);
    const byEnd = good(readHistory(storageWith(text), threadAt(25).slice(-4))).ended;
    expect([...byEnd.keys()]).toEqual([threadAt(25)]);
    expect(bad(readHistory(storageWith(`${text}oops\n`), THREAD)).code).toBe("STORE_DAMAGED");
  });
});

describe("one thread of history.jsonl", () => {
  it("is found at the start, at the end and anywhere in a large file, wherever a piece of it is read", () => {
    for (const line of [TEXT, TEXT.trimEnd()]) {
      expect(good(readThreadHistory(storageWith(LARGE + line), THREAD))).toEqual(LINE);
    }
    expect(good(readThreadHistory(storageWith(TEXT + LARGE), THREAD))).toEqual(LINE);
    // Wherever a piece that is read at once begins and ends.
    const cut = Math.floor((256 * 1024) / TEXT.length) * TEXT.length;
    for (let before = 0; before < TEXT.length; before += 5) {
      const padded = LARGE.slice(0, cut - TEXT.length) + padding(before) + TEXT + LARGE.slice(cut);
      expect(good(readThreadHistory(storageWith(padded), THREAD))).toEqual(LINE);
    }
  });

  it("is not there in a large file of others, until a process ends it", () => {
    const storage = storageWith(LARGE);
    for (let look = 0; look < 3; look += 1) expect(good(readThreadHistory(storage, THREAD))).toBeNull();
    good(appendHistory(storage, LINE));
    expect(good(readThreadHistory(storage, THREAD))).toEqual(LINE);
    expect(good(readThreadHistory(storage, threadAt(7)))).toBeNull();
  });

  it("stops at a line that names it and is damaged", () => {
    const damaged = TEXT.replace('"end"', '"tired"');
    expect(bad(readThreadHistory(storageWith(LARGE + damaged + LARGE), THREAD))).toMatchObject({
      code: "STORE_DAMAGED",
      reason: expect.stringMatching(`^line ${MANY + 1}: `),
    });
  });

  it("passes over a damaged line of another thread in a large one, which no reader of all of them does", () => {
    const storage = storageWith(`${LARGE}oops\n`);
    expect(good(readThreadHistory(storage, THREAD))).toBeNull();
    for (const read of [() => readHistory(storage, THREAD), () => readHistory(storage)]) {
      expect(bad(read())).toMatchObject({
        code: "STORE_DAMAGED",
        reason: `line ${MANY + 1}: it is not {thread, workflow, head, completedAt, reason}`,
      });
    }
  });
});

/** A line of ours of so many characters more than it needs. */
function padding(more: number): string {
  return TEXT.replace(THREAD, threadAt(50))
    .replace("1700", "1".repeat(4))
    .replace("}", `${" ".repeat(more)}}`);
}
