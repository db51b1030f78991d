import { readFileSync, writeFileSync } from "node:fs";
import type { HistoryLine } from "@uncaged/workflow-protocol";
import { describe, expect, it } from "vitest";
import { appendHistory, readHistory } from "../../src/index.js";
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
  it.each([null, ""])("is empty when it is %j", (text) => {
    expect(good(readHistory(storageWith(text))).size).toBe(0);
  });

  it("is written line by line in fixed order of fields", () => {
    const storage = storageWith(null);
    good(appendHistory(storage, { ...LINE, ...{ extra: 1 } }));
    good(appendHistory(storage, { ...LINE, thread: threadAt(2), reason: "killed" }));
    expect(readFileSync(storage.paths.history, "utf8").startsWith(TEXT)).toBe(true);
    expect([...good(readHistory(storage)).values()].map((line) => line.reason)).toEqual(["end", "killed"]);
  });

  it("takes a line without reason, as the first uwf wrote it, for an end", () => {
    const storage = storageWith(TEXT.replace(',"reason":"end"', ""));
    expect(good(readHistory(storage)).get(THREAD)).toEqual(LINE);
  });

  it("skips an unterminated last line, which the next append cuts off", () => {
    const storage = storageWith(TEXT + TEXT.slice(0, 40));
    expect(good(readHistory(storage)).size).toBe(1);
    good(appendHistory(storage, { ...LINE, thread: threadAt(2) }));
    expect([...good(readHistory(storage)).keys()]).toEqual([THREAD, threadAt(2)]);
  });

  it("counts a whole last record that only lacks its newline, as some editors leave it, and closes it before the next", () => {
    const storage = storageWith(TEXT.trimEnd());
    expect([...good(readHistory(storage)).keys()]).toEqual([THREAD]);
    good(appendHistory(storage, { ...LINE, thread: threadAt(2) }));
    expect([...good(readHistory(storage)).keys()]).toEqual([THREAD, threadAt(2)]);
    expect(readFileSync(storage.paths.history, "utf8").startsWith(TEXT)).toBe(true);
  });

  it("skips a last line that is torn anywhere before its end, and cuts it off before the next", () => {
    for (let length = 1; length < TEXT.length - 1; length += 1) {
      expect(good(readHistory(storageWith(TEXT.slice(0, length)))).size).toBe(0);
    }
    const storage = storageWith(TEXT.slice(0, -2));
    good(appendHistory(storage, { ...LINE, thread: threadAt(2) }));
    expect([...good(readHistory(storage)).keys()]).toEqual([threadAt(2)]);
  });

  it("reads fields that it does not know, and CRLF, and keeps the first line of a thread", () => {
    const more = TEXT.replace("}", ',"note":"mine"}').replace("\n", "\r\n");
    expect(good(readHistory(storageWith(more + TEXT.replace('"end"', '"killed"')))).get(THREAD)).toEqual(
      LINE,
    );
  });

  it.each([
    ["no JSON", "oops\n", "no JSON object"],
    ["a torn line that others followed", TEXT.slice(0, 40) + TEXT, "no JSON object"],
    ["an empty line", "\n", "no JSON object"],
    ["NUL bytes", `${"\0".repeat(20)}\n`, "no JSON object"],
    ["a list", "[]\n", "no JSON object"],
    ["another thread id", TEXT.replace(THREAD, "x"), "thread"],
    ["another workflow", TEXT.replace(HASH_A, "x"), "workflow"],
    ["no head", TEXT.replace("head", "hat"), "head"],
    ["a time in words", TEXT.replace("1700", '"now"'), "completedAt"],
    ["another reason", TEXT.replace('"end"', '"tired"'), "reason"],
  ])("with %s on line 2 is damaged there", (_, line, reason) => {
    const text = TEXT + line + TEXT.replace(THREAD, threadAt(3));
    const storage = storageWith(text);
    expect(bad(readHistory(storage))).toMatchObject({
      code: "STORE_DAMAGED",
      file: storage.paths.history,
      reason: expect.stringMatching(new RegExp(`^line 2: .*${reason}`)),
    });
    expect(readFileSync(storage.paths.history, "utf8")).toBe(text);
  });
});
