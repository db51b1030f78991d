import { decodeTime, isValid } from "ulid";
import { describe, expect, it } from "vitest";
import {
  hasThreadIdPart,
  isThreadIdPart,
  newThreadId,
  parseThreadId,
  timeOfThreadId,
} from "../../src/ids.js";

const ID = "01ARZ3NDEKTSV4RRFFQ69G5FAV";

function reasonOf(text: string): string {
  const parsed = parseThreadId(text);
  if (parsed.ok || parsed.error.code !== "MALFORMED_THREAD_ID") throw new Error(`${text} was accepted`);
  return parsed.error.reason;
}

describe("timeOfThreadId", () => {
  it("is the time of its making", async () => {
    for (const time of [1, 1469918176385, 2 ** 48 - 1]) {
      expect(timeOfThreadId(await newThreadId(time))).toBe(time);
    }
  });
});

describe("newThreadId", () => {
  it("is a standard ULID of the given time", async () => {
    const now = Date.UTC(2026, 0, 2, 3, 4, 5, 678);
    const id = await newThreadId(now);
    expect(isValid(id)).toBe(true);
    expect(decodeTime(id)).toBe(now);
    expect(parseThreadId(id)).toEqual({ ok: true, value: id });
  });

  it("sorts by time, and puts the time into the first ten characters", async () => {
    expect((await newThreadId(1469918176385)).slice(0, 10)).toBe("01ARYZ6S41");
    expect((await newThreadId(1)) < (await newThreadId(2))).toBe(true);
    expect((await newThreadId(2 ** 48 - 1)).startsWith("7ZZZZZZZZZ")).toBe(true);
  });

  it("gives different ids in one millisecond", async () => {
    const ids = await Promise.all(Array.from({ length: 1000 }, () => newThreadId(1)));
    expect(new Set(ids).size).toBe(1000);
  });
});

describe("parseThreadId", () => {
  it.each([ID, "00000000000000000000000000", "7ZZZZZZZZZZZZZZZZZZZZZZZZZ"])(
    "takes %s in either case",
    (id) => {
      expect(parseThreadId(id)).toEqual({ ok: true, value: id });
      expect(parseThreadId(id.toLowerCase())).toEqual({ ok: true, value: id });
    },
  );

  it.each([
    ["", "it is empty"],
    [ID.slice(1), "it has 25 characters, not 26"],
    [`${ID}0`, "it has 27 characters, not 26"],
    ["8ZZZZZZZZZZZZZZZZZZZZZZZZZ", "begins with 8, the largest thread id begins with 7"],
    ["Z1ARZ3NDEKTSV4RRFFQ69G5FAV", "begins with Z"],
    [ID.replace("Z", "I"), 'the character "I" at position 5 is not allowed (I, L, O and U are never used)'],
    [ID.replace("Z", "l"), 'the character "l" at position 5'],
    [ID.replace("Z", "O"), 'the character "O" at position 5'],
    [ID.replace("Z", "u"), 'the character "u" at position 5'],
    [`${ID.slice(0, 25)} `, 'the character " " at position 26 is not allowed'],
    [`${ID.slice(0, 25)}\n`, 'the character "\\n" at position 26'],
    [`${ID.slice(0, 25)}ſ`, 'the character "ſ" at position 26'],
    ["01ARZ3NDEKTSV", "it looks like the hash of a node"],
    ["constructor", 'the character "o" at position 2'],
  ])("says what is wrong with %j", (text, reason) => {
    expect(reasonOf(text)).toContain(reason);
  });

  it("repeats only the beginning of a long text", () => {
    const parsed = parseThreadId("x".repeat(1_000_000));
    expect(JSON.stringify(parsed).length).toBeLessThan(300);
  });
});

describe("isThreadIdPart", () => {
  it.each(["0", "7", "01ar", ID, ID.toLowerCase(), "5FAV", "zzzz", ID.slice(1)])("is true for %s", (text) => {
    expect(isThreadIdPart(text)).toBe(true);
  });

  it.each(["", "8", "FAV", "01I", "5FAI", "01-", "0ſ", `${ID}0`, "0\n", "5FAV\n", " 0"])(
    "is false for %j",
    (text) => {
      expect(isThreadIdPart(text)).toBe(false);
    },
  );
});

describe("hasThreadIdPart", () => {
  it.each(["", "0", "01ARZ", "5FAV", ID])("is true for %j", (part) => {
    expect(hasThreadIdPart(ID, part)).toBe(true);
  });

  it.each(["FAV", "RRFF", "5FAVX", "1"])("is false for %j", (part) => {
    expect(hasThreadIdPart(ID, part)).toBe(false);
  });
});
