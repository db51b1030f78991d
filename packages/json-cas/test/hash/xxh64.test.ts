import fc from "fast-check";
import { describe, expect, it } from "vitest";
import xxhash from "xxhash-wasm";
import { xxh64InJavaScript } from "../../src/hash.js";

const { h64Raw } = await xxhash();

describe("XXH64 in JavaScript", () => {
  it("is that of xxhash-wasm at every length around its stripes", () => {
    const bytes = Uint8Array.from({ length: 300 }, (_, index) => (index * 167 + 13) & 0xff);
    for (let length = 0; length <= bytes.length; length += 1) {
      const part = bytes.subarray(0, length);
      expect(xxh64InJavaScript(part)).toBe(h64Raw(part, 0n));
    }
  });

  it("is that of xxhash-wasm for any bytes, also in the middle of a buffer", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 500 }), fc.nat({ max: 20 }), (bytes, before) => {
        const part = bytes.subarray(Math.min(before, bytes.length));
        return xxh64InJavaScript(part) === h64Raw(part, 0n);
      }),
      { numRuns: 2000 },
    );
  });

  it("is that of xxhash-wasm for the extremes", () => {
    for (const byte of [0x00, 0xff, 0x80, 0x7f]) {
      const bytes = new Uint8Array(70_000).fill(byte);
      expect(xxh64InJavaScript(bytes)).toBe(h64Raw(bytes, 0n));
    }
  });
});
