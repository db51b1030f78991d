import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createRedactor } from "../../src/secrets/index.js";
import { ENCODERS, type Encoder, isThere, PROGRAMS, run } from "./encoders.js";

const MARK = "[redacted:KEY]";

const TOKEN = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
const ODD = `${TOKEN}+/=+/=.:;,!?@#$&<>"'()[]{}|^\`~* ä€😀\\`;

const keyOf = (alphabet: string, minLength: number): fc.Arbitrary<string> =>
  fc
    .array(fc.constantFrom(...alphabet), { minLength, maxLength: 90 })
    .map((characters) => characters.join(""))
    // A key ends and begins with what can be seen; backslashes at its end stay, they show nothing.
    .filter((key) => key === key.trim() && !key.endsWith("\\"));

const keys = fc.oneof(
  keyOf(TOKEN, 16).map((key) => `sk-${key}`),
  keyOf(`${TOKEN}+/=`, 16),
  keyOf(ODD, 16),
);

/** Everything that anybody can make of a text by decoding it. */
function decoded(text: string): readonly string[] {
  const numbers = (text.match(/\d+/g) ?? []).map(Number).filter((byte) => byte < 256);
  return [
    text,
    ...[0, 1, 2, 3].map((skip) =>
      Buffer.from(
        text.replace(/\s|\\[rn]|\[redacted:KEY\]/g, (gap) => (gap === MARK ? " " : "")).slice(skip),
        "base64",
      ).toString("latin1"),
    ),
    Buffer.from(text.replace(/[^0-9a-fA-F]/g, ""), "hex").toString("latin1"),
    Buffer.from(numbers).toString("latin1"),
  ];
}

/** Runs of the key that a reader could get out of what is left. */
function expectNothingOf(key: string, left: string): void {
  const bytes = Buffer.from(key).toString("latin1");
  for (const text of decoded(left)) {
    for (let at = 0; at + 8 <= bytes.length; at += 1) {
      if (text.includes(bytes.slice(at, at + 8)))
        throw new Error(`${bytes.slice(at, at + 8)} of ${key} is left in ${left}`);
    }
  }
}

/** The same keys each time: what is red today must not be green tomorrow. */
const settings = { numRuns: 60, seed: Number(process.env.SEED ?? 14) };

describe("a secret is found as it is written by", () => {
  it.each(Object.entries(ENCODERS))("%s", (_name: string, encode: Encoder) => {
    fc.assert(
      fc.property(keys, fc.array(fc.nat({ max: 400 }), { maxLength: 4 }), (key, cuts) => {
        const redactor = createRedactor([{ name: "KEY", value: key }]);
        const text = `before ${encode(key)}" after`;
        const clean = redactor.text(text);
        expect(clean).toContain(MARK);
        expectNothingOf(key, clean);
        // In pieces, wherever it is cut, it comes to the same.
        const places = [0, ...cuts.map((cut) => cut % text.length).sort((a, b) => a - b), text.length];
        const stream = redactor.stream();
        const pieces = places.slice(1).map((end, index) => stream.push(text.slice(places[index], end)));
        expect(pieces.join("") + stream.flush()).toBe(clean);
        // And of its end, wherever the text before it was cut away, little is left.
        for (const cut of cuts) expectNothingOf(key, redactor.tail(text.slice(cut % text.length)));
      }),
      settings,
    );
  });
});

describe("the rules that these encoders follow are those of", () => {
  const there = new Map(["python3", "ruby", "php"].map((command) => [command, isThere(command)]));
  for (const [name, program] of Object.entries(PROGRAMS)) {
    it.skipIf(there.get(program[0]) !== true)(name, () => {
      const text = `sk-aZ09-_.~+/=?&<>"'%\\ ä€😀${"x".repeat(80)}`;
      expect(run(program, text)).toBe(ENCODERS[name]?.(text));
    });
  }
});

describe("a text without the secret", () => {
  it("stays as it is, whatever escapes stand in it", () => {
    const redactor = createRedactor([{ name: "KEY", value: "sk-0123456789abcdef" }]);
    const piece = fc.constantFrom(
      "\\",
      "\\u0073",
      "%73",
      "%25",
      "&#115;",
      "&amp;",
      "s",
      "k",
      "sk-0",
      "\n",
      "c2st",
      "73",
      "115, ",
      "é",
      "😀",
      " ",
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
        const text = pieces.join("");
        expect(redactor.text(text)).toBe(text);
        const stream = redactor.stream();
        expect(pieces.map((each) => stream.push(each)).join("") + stream.flush()).toBe(text);
      }),
      { numRuns: 500 },
    );
  });

  it.each([
    ["backslashes", "\\"],
    ["percent signs", "%25"],
    ["a beginning again and again", "sk-012345678"],
    ["escapes of its first character", "\\u0073"],
    ["Base64 of its beginning", "c2st"],
    ["its first byte in hexadecimal digits", "73"],
    ["line breaks", "c\n"],
    ["ampersands", "&amp;"],
  ])("takes a time that is linear in it: %s", (_what, piece) => {
    const redactor = createRedactor([{ name: "KEY", value: "sk-0123456789abcdef" }]);
    const text = piece.repeat(Math.ceil(2 ** 20 / piece.length));
    expect(redactor.text(text)).toBe(text);
  });
});
