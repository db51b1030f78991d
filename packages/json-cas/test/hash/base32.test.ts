import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { base32, hashToBytes, readHash } from "../../src/hash.js";
import type { Hash } from "../../src/node.js";

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

describe("the 8 bytes of a hash", () => {
  it("are its number, and lead back to it", () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }), (value) => {
        const hash = base32(value) as Hash;
        const bytes = hashToBytes(hash);
        expect(Buffer.from(bytes).readBigUInt64BE()).toBe(value);
        expect(readHash(Buffer.concat([Buffer.from("--"), bytes]), 2)).toBe(hash);
      }),
    );
  });
});
