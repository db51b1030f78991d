import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { base32 } from "../../src/hash.js";

const ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

/** Digit by digit, as the format says. */
function digits(value: bigint): string {
  return Array.from({ length: 13 }, (_, index) =>
    ALPHABET.charAt(Number((value >> BigInt(60 - 5 * index)) & 31n)),
  ).join("");
}

describe("base32", () => {
  it("writes any u64 as 13 digits, the most significant first", () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }), (value) => base32(value) === digits(value)),
    );
    for (let bit = 0n; bit < 64n; bit += 1n) expect(base32(1n << bit)).toBe(digits(1n << bit));
  });
});
