import { describe, expect, it } from "vitest";
import { sanitizeTerminal } from "../../src/terminal.js";

describe("sanitizeTerminal", () => {
  it("keeps text, newlines and tabs", () => {
    const text = "Plain\ttext\n  ünïcode 🙂 [0m \\u001b\n";
    expect(sanitizeTerminal(text)).toBe(text);
  });

  it.each([
    ["colours", "\u001b[1;31mred\u001b[0m", "red"],
    ["private modes", "\u001b[?25l\u001b[?1049hx", "x"],
    ["cursor movements", "a\u001b[2K\u001b[1A\u001b[10;20Hb", "ab"],
    ["a title ended by BEL", "\u001b]0;title\u0007x", "x"],
    ["a link ended by ST", "\u001b]8;;http://x\u001b\\text\u001b]8;;\u001b\\", "text"],
    ["a clipboard write", "\u001b]52;c;aGk=\u0007", ""],
    ["a device control string", "\u001bPq#0;2;0\u001b\\x", "x"],
    ["8-bit forms", "\u009b31mred\u009dtitle\u009cx", "redx"],
    ["charsets and resets", "\u001b(B\u001bc\u001b7x", "x"],
    ["control characters", "a\u0000b\u0008c\u0007d\u007fe\u0085f\rg", "abcdefg"],
    ["turns of the direction of writing", "exit\u202e 0 \u2067x\u2069", "exit 0 x"],
    ["CRLF", "a\r\nb", "a\nb"],
    ["a sequence that is not finished", "x\u001b[31", "x31"],
    ["a lone escape at the end", "x\u001b", "x"],
  ])("removes %s", (_, text, clean) => {
    expect(sanitizeTerminal(text)).toBe(clean);
  });

  it.each(["\u001b", "\u001b]", "\u001b[", "\u001b[0;", "\u001bP\u001b]x", "\u009d", "x\u001b]y"])(
    "takes linear time for half a million %j, and leaves no escape",
    (unit) => {
      expect(sanitizeTerminal(unit.repeat(500_000))).not.toContain("\u001b");
    },
  );
});
