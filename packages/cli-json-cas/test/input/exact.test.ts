import { describe, expect, it } from "vitest";
import { inexactInteger } from "../../src/input.js";

describe("inexactInteger", () => {
  it.each(["9007199254740993", "[1, -12345678901234567891]", '{"a": {"b": 100000000000000000001}}'])(
    "finds a whole number that a float cannot hold in %s",
    (text) => {
      expect(inexactInteger(text)).toMatch(/^-?\d{16,}$/);
    },
  );

  it.each([
    "9007199254740992",
    "10000000000000000000000",
    '"9007199254740993"',
    '"\\"9007199254740993"',
    "1.00000000000000000001",
    "1e400",
    "[]",
  ])("leaves %s alone", (text) => {
    expect(inexactInteger(text)).toBeNull();
  });

  it("reads a text of megabytes", () => {
    expect(inexactInteger(JSON.stringify('\\"x'.repeat(2_000_000)))).toBeNull();
  });
});
