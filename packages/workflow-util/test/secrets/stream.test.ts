import { describe, expect, it } from "vitest";
import { createRedactor } from "../../src/secrets/index.js";

const KEY = "sk-abcabcabd-0123";
const redactor = createRedactor([
  { name: "KEY", value: KEY },
  { name: "LONGER", value: `${KEY}-more` },
  { name: "SAME", value: "aaaaaaaa" },
]);

function inPieces(pieces: readonly string[]): string {
  const stream = redactor.stream();
  return pieces.map((piece) => stream.push(piece)).join("") + stream.flush();
}

const TEXTS = [
  `before ${KEY} after`,
  `${KEY}${KEY}`,
  `sk-abc${KEY}`,
  `sk-abcabcabc ${KEY}-more ${KEY}-mor`,
  "aaaaaaaaaaaaaaaaaaaaaaa",
  `nothing at all\n`,
  `the end is a beginning: ${KEY.slice(0, -1)}`,
];

describe("a text in pieces", () => {
  it.each(TEXTS)("is cleaned as if it were one text, wherever it is cut: %s", (text) => {
    const whole = redactor.text(text);
    expect(inPieces([...text])).toBe(whole);
    for (let first = 0; first <= text.length; first += 1) {
      for (let second = first; second <= text.length; second += 1) {
        const pieces = [text.slice(0, first), text.slice(first, second), text.slice(second)];
        expect(inPieces(pieces)).toBe(whole);
      }
    }
  });

  it("goes on at once where nothing looks like a secret", () => {
    expect(redactor.stream().push("working…\n")).toBe("working…\n");
  });

  it("holds back no more than it must", () => {
    const stream = redactor.stream();
    expect(stream.push("key: sk-ab")).toBe("key: ");
    expect(stream.push("x\n")).toBe("sk-abx\n");
  });

  it("is cleaned where it is cut between the escapes of a character behind escaped backslashes", () => {
    const odd = createRedactor([{ name: "ODD", value: "F3R8XU9/M\\\\€=O" }]);
    const text = 'a "F3R8XU9%2fM%5c%5c%5c%5c%e2%82%AC%3dO" z';
    for (let cut = 0; cut <= text.length; cut += 1) {
      const stream = odd.stream();
      const clean = stream.push(text.slice(0, cut)) + stream.push(text.slice(cut)) + stream.flush();
      expect(clean).toBe('a "[redacted:ODD]" z');
    }
  });
});
