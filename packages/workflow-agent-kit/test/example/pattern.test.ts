import { describe, expect, it } from "vitest";
import { samplePattern } from "../../src/example/pattern.js";

describe("a sample of a pattern", () => {
  const patterns = [
    "^[A-Z]{2,3}-\\d+$",
    "^v?\\d+(\\.\\d+){2}$",
    "^(?:feat|fix)(\\([a-z]+\\))?: .+$",
    "^[^\\s/]+/[^\\s/]+$",
    "\\bword\\b",
    "^\\p{Lu}\\p{Ll}+$",
    "^\\x41\\u0042\\u{43}\\t$",
    "^[\\]\\-a]+$",
    "^(?<year>\\d{4})-(0[1-9]|1[0-2])$",
    "",
    "^$",
    "a|b",
  ];

  for (const pattern of patterns) {
    it(`fits ${pattern || "the empty pattern"}, with repetitions too`, () => {
      for (const extra of [0, 1, 5]) expect(samplePattern(pattern, extra)).toMatch(new RegExp(pattern, "u"));
    });
  }

  it("is null if a sample would be a guess", () => {
    expect(samplePattern("(a)\\1", 0)).toBeNull();
    expect(samplePattern("[a", 0)).toBeNull();
    expect(samplePattern("a)", 0)).toBeNull();
  });
});
