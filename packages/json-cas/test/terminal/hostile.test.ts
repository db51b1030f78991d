import fc from "fast-check";
import { expect, it } from "vitest";
import { sanitizeTerminal } from "../../src/terminal.js";
import { corpus, nastyText } from "../support/nasty.js";

const part = fc.oneof(
  nastyText,
  fc.constantFrom(...corpus("terminal")),
  fc.string({
    unit: fc.constantFrom(..."\u001b\u009b\u009d\u0090\u009c\u0007[]PX^_\\0;m?\n\tab"),
    maxLength: 60,
  }),
  fc
    .tuple(fc.constantFrom(...corpus("terminal")), fc.nat({ max: 20_000 }))
    .map(([sequence, times]) => sequence.repeat(times)),
);

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this looks for
const RAW = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/;

it("whatever a text has, nothing is left that a terminal obeys, wherever it is cut", () => {
  fc.assert(
    fc.property(part, part, (left, right) => {
      const whole = sanitizeTerminal(left + right);
      expect(whole).not.toMatch(RAW);
      expect(sanitizeTerminal(left) + sanitizeTerminal(right)).not.toMatch(RAW);
      expect(sanitizeTerminal(whole)).toBe(whole);
      const plain = left.replace(/[^\n\t -~\u00a0-\u2029\u202f-\u2065\u206a-\ud7ff]/g, "");
      expect(sanitizeTerminal(plain)).toBe(plain);
    }),
    { numRuns: 200 },
  );
});
