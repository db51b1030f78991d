import { describe, expect, it } from "vitest";
import {
  CasError,
  checkStorable,
  decode,
  encode,
  MAX_VALUES,
  parseJson,
  parseLenientJson,
} from "../../src/index.js";

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

function faultOf(act: () => unknown): unknown {
  try {
    return act();
  } catch (error) {
    return error instanceof CasError ? error.fault : error;
  }
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

  it.each([
    ["9007199254740993", "", "the number 9007199254740993 cannot be held exactly; write it as a string"],
    ["[1, -12345678901234567891]", "/1", "the number -12345678901234567891 cannot be held"],
    ['{"a": {"b": 100000000000000000001}}', "/a/b", "the number 100000000000000000001 cannot be held"],
    ["9007199254740993.0", "", "the number 9007199254740993.0 cannot be held"],
    ["12345678901234567.5", "", "the number 12345678901234567.5 cannot be held"],
    ["1e400", "", "the number 1e400 cannot be held"],
    ["[-1E999]", "/0", "the number -1E999 cannot be held"],
    ["1e-400", "", "the number 1e-400 cannot be held"],
    ['{"ok":false,"id":1,"ok":true}', "/ok", 'the key "ok" appears twice'],
    ['{"ok":true,"ok":true}', "/ok", 'the key "ok" appears twice'],
    ['{"ok":1,"o\\u006b":2}', "/ok", 'the key "ok" appears twice'],
    ['{"":1,"":2}', "/", 'the key "" appears twice'],
    ['{"__proto__":1,"__proto__":2}', "/__proto__", 'the key "__proto__" appears twice'],
    ['[0,[],{"x":[{"a/b":{},"c":[],"a/b":1}]}]', "/2/x/0/a~1b", 'the key "a/b" appears twice'],
  ])("refuses what JSON.parse would change: %s", (text, path, reason) => {
    const padded = [text, ` \n${text}\t`, ...(text.length > 20 ? [text.padEnd(2000)] : [])];
    for (const given of padded)
      expect(faultOf(() => parseJson(given))).toMatchObject({
        code: "NOT_STORABLE",
        path,
        reason: expect.stringContaining(reason),
      });
    expect(parseLenientJson(text)).toEqual(JSON.parse(text));
  });

  it.each([
    "9007199254740992",
    "10000000000000000000000",
    "6.02214076e23",
    "1.00000000000000000001",
    "0e-400",
    "-0.000",
    '"9007199254740993"',
    '"\\"9007199254740993"',
    '["ok","ok",{"ok":"ok"},{"ok":{"ok":1}},{"ok":["ok"],"o\\"k":1}]',
    JSON.stringify('\\"x'.repeat(2_000_000)),
  ])("reads %.60s", (text) => {
    expect(parseJson(text)).toEqual(JSON.parse(text));
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
