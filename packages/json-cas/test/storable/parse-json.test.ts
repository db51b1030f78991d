import { describe, expect, it } from "vitest";
import { CasError, checkStorable, decode, encode, MAX_VALUES, parseJson } from "../../src/index.js";

function refusal(act: () => unknown): string {
  try {
    act();
  } catch (error) {
    return error instanceof CasError && error.fault.code === "NOT_STORABLE"
      ? error.fault.reason
      : String(error);
  }
  return "accepted";
}

const MANY = `it has more than ${MAX_VALUES} values`;

/** One value with so many elements or members, itself included. */
const SHAPES: readonly (readonly [string, (values: number) => string])[] = [
  ["numbers", (n) => `[${"0,".repeat(n - 2)}0]`],
  ["empty objects", (n) => `[ ${"{},".repeat(n - 2)}{ } ]`],
  ["members", (n) => `{${Array.from({ length: n - 1 }, (_, i) => `"k${i}":"a,b"`).join(",")}}`],
  ["lists of one", (n) => `[${"[0],".repeat((n - 2) / 2 - 1)}[0],0]`],
  ["texts full of commas and brackets", (n) => `[${'",[{\\"",'.repeat(n - 2)}""]`],
];

describe("a value of as many parts as it may have", () => {
  it.each(SHAPES)("is read, stored and decoded: %s", (_what, make) => {
    const value = parseJson(make(MAX_VALUES));
    checkStorable(value);
    expect(decode(encode(value))).toEqual(value);
  });

  it.each(SHAPES)("is refused with two more, before it is built and by the store: %s", (_what, make) => {
    const text = make(MAX_VALUES + 2);
    expect(refusal(() => parseJson(text))).toBe(MANY);
    expect(refusal(() => checkStorable(JSON.parse(text)))).toBe(MANY);
  });

  it("is refused in bytes from elsewhere", () => {
    const zeros = Buffer.alloc(MAX_VALUES + 10);
    const head = Buffer.from([0x9a, 0, 0, 0, 0]);
    head.writeUInt32BE(zeros.length, 1);
    expect(() => decode(Buffer.concat([head, zeros]))).toThrow(`more than ${MAX_VALUES} values`);
  });
});

describe("parseJson", () => {
  it.each(["[", '{"a":'])("refuses %s nested a million times", (opening) => {
    expect(refusal(() => parseJson(opening.repeat(1_000_000)))).toBe("it is nested deeper than 1000 levels");
  });

  it("reads and refuses as JSON.parse does", () => {
    for (const text of ["", "[1,]", '{"a":1', `["${"x".repeat(2000)}`, `[${" ".repeat(2000)}}`]) {
      expect(() => parseJson(text)).toThrow(SyntaxError);
    }
    const long = { a: ['\\"]', "}{", { b: null }], text: "é".repeat(5000), "": [[], {}] };
    expect(parseJson(JSON.stringify(long))).toEqual(long);
    expect(parseJson(JSON.stringify(long, null, 2))).toEqual(long);
  });
});
