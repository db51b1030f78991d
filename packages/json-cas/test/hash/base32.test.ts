import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { base32, hashBytes, hashesTo, isHash, isHashAt } from "../../src/hash.js";

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

describe("hashes in bytes", () => {
  it("are compared by their halves", () => {
    const hash = hashBytes(Buffer.from("Ada"));
    const value = [...hash].reduce((sum, digit) => sum * 32n + BigInt(ALPHABET.indexOf(digit)), 0n);
    const [high, low] = [Number(value >> 32n), Number(value & 0xffffffffn)];
    expect(hashesTo(Buffer.from("Ada"), high, low)).toBe(true);
    expect([hashesTo(Buffer.from("Ada"), high, low ^ 1), hashesTo(Buffer.from("Eve"), high, low)]).toEqual([
      false,
      false,
    ]);
  });

  it("are recognised as isHash recognises them", () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 13, maxLength: 13 }), fc.nat(12), (bytes, at) => {
        const text = Buffer.from("F0123456789AZ");
        text[at] = bytes[0] ?? 0;
        expect(isHashAt(text, 0)).toBe(isHash(text.toString("latin1")));
        expect(isHashAt(bytes, 0)).toBe(isHash(Buffer.from(bytes).toString("latin1")));
      }),
    );
    expect(isHashAt(Buffer.from("F0123456789A"), 0)).toBe(false);
  });
});
