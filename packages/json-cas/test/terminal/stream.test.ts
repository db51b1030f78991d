import { describe, expect, it } from "vitest";
import { sanitizeStream, sanitizeTerminal } from "../../src/terminal.js";

function inPieces(pieces: readonly string[]): string {
  const stream = sanitizeStream();
  return pieces.map((piece) => stream.push(piece)).join("") + stream.flush();
}

describe("a text in pieces", () => {
  it.each([
    "a\u001b[31mred\u001b[0m b",
    "title \u001b]0;evil\u0007 end",
    "link \u001b]8;;http://x\u001b\\text\u001b]8;;\u001b\\ end",
    "8 bit \u009b31m and \u009d0;t\u009c",
    "\u001b(B charset \u001bc reset \b\u0007 bell",
    "ends in \u001b",
    "ends in \u001b[3",
  ])("is cleaned as if it were one text, wherever it is cut: %j", (text) => {
    const whole = sanitizeTerminal(text);
    expect(inPieces([...text])).toBe(whole);
    for (let at = 0; at <= text.length; at += 1) {
      expect(inPieces([text.slice(0, at), text.slice(at)])).toBe(whole);
    }
  });

  it("never holds back without a bound", () => {
    const stream = sanitizeStream();
    const text = `\u001b]0;${"x".repeat(10_000)}`;
    expect(stream.push(text).length).toBeGreaterThan(5000);
  });
});
