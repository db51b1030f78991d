import { describe, expect, it } from "vitest";
import {
  DecodeError,
  decode,
  decodeNode,
  encode,
  encodeAround,
  encodeNode,
  type Hash,
  type JsonValue,
} from "../../src/index.js";

function bytes(hex: string): Uint8Array {
  return Uint8Array.from(Buffer.from(hex.replaceAll(" ", ""), "hex"));
}

/** One row for each rule of DAG-CBOR that a reader could forget. */
const MALFORMED: readonly (readonly [string, string])[] = [
  ["nothing", ""],
  ["trailing bytes", "01 01"],
  ["a cut text", "63 6162"],
  ["a cut array", "82 01"],
  ["a cut map", "a1 6161"],
  ["an array that claims 2^53 items", "9b 0020000000000000"],
  ["a long form of a small integer", "18 01"],
  ["a long form of a length", "78 01 61"],
  ["a negative integer in the long form", "38 00"],
  ["an integer beyond the safe ones", "1b 0020000000000000"],
  ["a bigint", "c2 49 010000000000000000"],
  ["a tag", "c1 01"],
  ["a byte string", "41 00"],
  ["undefined", "f7"],
  ["another simple value", "f0"],
  ["a half float", "f9 3e00"],
  ["a single float", "fa 3fc00000"],
  ["a float that is an integer", "fb 3ff0000000000000"],
  ["a negative zero", "fb 8000000000000000"],
  ["NaN", "fb 7ff8000000000000"],
  ["NaN as a half float", "f9 7e00"],
  ["infinity", "fb 7ff0000000000000"],
  ["an indefinite array", "9f 01 ff"],
  ["an indefinite map", "bf 6161 01 ff"],
  ["an indefinite text", "7f 6161 ff"],
  ["a break out of place", "ff"],
  ["keys out of order", "a2 6162 01 6161 02"],
  ["a longer key before a shorter one", "a2 626161 01 617a 02"],
  ["a duplicate key", "a2 6161 01 6161 02"],
  ["a key that is no text", "a1 01 01"],
  ["malformed UTF-8", "61 ff"],
  ["a surrogate in UTF-8", "63 eda080"],
  ["a long form of a character", "62 c0af"],
  ["malformed UTF-8 in a key", "a1 61ff 01"],
];

describe("the keys of nodes", () => {
  it("are those of their own bytes, whichever were read before: of one length, with the same ends and middle, and not ASCII", () => {
    const keys = ["axybzc", "azybxc", "aéybc", "axybzc", "__proto__", "", "k".repeat(23), "k".repeat(24)];
    for (const key of [...keys, ...keys.toReversed()]) {
      const value: JsonValue = JSON.parse(`{${JSON.stringify(key)}:1}`);
      expect(Object.entries(decode(encode(value)) as object)).toEqual([[key, 1]]);
    }
    expect(() => decode(bytes("a1 63 ff6162 01"))).toThrow("no UTF-8");
    expect(() => decode(bytes("a2 63 616263 01 63 616263 02"))).toThrow("out of order");
  });
});

describe("decode", () => {
  for (const [what, hex] of MALFORMED) {
    it(`refuses ${what}`, () => {
      expect(() => decode(bytes(hex))).toThrow(DecodeError);
    });
  }

  it("refuses 129 levels, and a million, without running out of stack", () => {
    expect(() => decode(bytes(`${"81".repeat(129)}00`))).toThrow(/deeper than 128/);
    expect(() => decode(bytes(`${"81".repeat(1_000_000)}00`))).toThrow(DecodeError);
    expect(() => decode(bytes(`${"81".repeat(128)}00`))).not.toThrow();
  });

  it("reads U+FFFD, a byte order mark, and long texts as they stand", () => {
    for (const text of [
      "\ufffd",
      "a\ufffdb",
      "\ufeffa",
      "\ufeff\ufffd",
      "\ufeff".repeat(100),
      "é".repeat(1000),
      "a".repeat(1000),
    ]) {
      expect(decode(encode(text))).toBe(text);
    }
  });

  it("reads numbers at the ends of every width", () => {
    const whole = [23, 24, 255, 256, 65_535, 65_536, 2 ** 32 - 1, 2 ** 32, 2 ** 53 - 1];
    const ends = [
      ...whole,
      ...whole.map((number) => -1 - number),
      1 - 2 ** 53,
      2 ** 53,
      -(2 ** 53),
      0.1,
      5e-324,
    ];
    for (const number of ends) expect(decode(encode(number))).toBe(number);
    expect(() => decode(bytes("3b 001fffffffffffff"))).toThrow(DecodeError);
  });

  it("reads __proto__ as an own key", () => {
    const value = decode(bytes("a1 69 5f5f70726f746f5f5f a1 6161 01")) as object;
    expect(Object.keys(value)).toEqual(["__proto__"]);
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
  });
});

describe("decodeNode", () => {
  const type = "4BDH115W39MQD" as Hash;

  it("reads what encodeNode wrote, at the depth limit too", () => {
    let payload: JsonValue = 0;
    for (let level = 0; level < 128; level += 1) payload = [payload];
    const node = { type, payload, timestamp: 1_700_000_000_000 };
    expect(decodeNode(encodeNode(node))).toEqual(node);
  });

  it.each([0, 23, 24, 255, 256, 65_536, 2 ** 32, 1_700_000_000_000])(
    "gives encodeNode and encodeAround the same bytes at %d ms",
    (timestamp) => {
      for (const payload of ["", { text: "é".repeat(2000) }, [1, null]]) {
        const node = { type, payload, timestamp };
        expect(Buffer.compare(encodeAround(node, encode(payload)), encodeNode(node))).toBe(0);
      }
    },
  );

  const wrong: readonly (readonly [string, unknown])[] = [
    ["no object", [1]],
    ["null", null],
    ["no type", { payload: 1, timestamp: 1 }],
    ["no payload", { type, timestamp: 1, extra: 1 }],
    ["one key too many", { type, payload: 1, timestamp: 1, more: 1 }],
    ["a type that is no hash", { type: "x", payload: 1, timestamp: 1 }],
    ["a timestamp with a fraction", { type, payload: 1, timestamp: 1.5 }],
    ["a timestamp before the epoch", { type, payload: 1, timestamp: -1 }],
    ["a timestamp after the last date", { type, payload: 1, timestamp: 8.64e15 + 1 }],
    ["a timestamp in words", { type, payload: 1, timestamp: "now" }],
  ];
  for (const [what, value] of wrong) {
    it(`refuses ${what}`, () => {
      expect(() => decodeNode(encode(value as JsonValue))).toThrow(DecodeError);
    });
  }
});
