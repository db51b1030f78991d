import { isDeepStrictEqual } from "node:util";
import { MAX_DEPTH } from "@uncaged/json-schema";
import { decode as cborDecode, encode as cborEncode } from "cborg";
import fc from "fast-check";
import { describe, it } from "vitest";
import { readCanonical } from "../../src/decode.js";
import {
  computeHash,
  DecodeError,
  decode,
  encode,
  freezeCopy,
  type Hash,
  type JsonValue,
} from "../../src/index.js";

const TYPE = "4BDH115W39MQD" as Hash;
const text = fc.string({ unit: "binary" });
const json = fc.letrec<{ value: JsonValue }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 5 },
    fc.constant(null),
    fc.boolean(),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.maxSafeInteger(),
    text,
    fc.array(tie("value"), { maxLength: 5 }),
    fc.dictionary(fc.oneof(text, fc.constantFrom("__proto__", "constructor", "toString")), tie("value"), {
      maxKeys: 5,
    }),
  ),
})).value;

const changed = fc
  .tuple(json, fc.nat(), fc.integer({ min: 0, max: 255 }))
  .map(([value, at, byte]) => withByte(encode(value), at, byte));

/** Two changes can make up for each other. */
const twice = fc
  .tuple(changed, fc.nat(), fc.integer({ min: 0, max: 255 }))
  .map(([bytes, at, byte]) => withByte(bytes, at, byte));

function withByte(bytes: Uint8Array, at: number, byte: number): Uint8Array {
  const copy = Uint8Array.from(bytes);
  copy[at % copy.length] = byte;
  return copy;
}

/** The same value with the keys of every object in another order. */
function reversed(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(reversed);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).map(([key, member]) => [key, reversed(member)] as const);
  const copy: Record<string, JsonValue> = {};
  for (const [key, member] of entries.reverse()) {
    Object.defineProperty(copy, key, { value: member, enumerable: true, configurable: true, writable: true });
  }
  return copy;
}

describe("encode and decode", () => {
  it("give back any JSON value", () => {
    fc.assert(fc.property(json, (value) => isDeepStrictEqual(decode(encode(value)), freezeCopy(value))));
  });

  it("give the same hash whatever the order of keys", () => {
    fc.assert(fc.property(json, (value) => computeHash(TYPE, reversed(value)) === computeHash(TYPE, value)));
  });

  it("never accept bytes that are not the canonical ones", () => {
    fc.assert(
      fc.property(fc.oneof(changed, fc.uint8Array({ minLength: 1, maxLength: 40 })), isCanonicalOrRefused),
    );
  });
});

describe("the reader of the canonical form", () => {
  it("reads whatever encode writes", () => {
    fc.assert(
      fc.property(json, (value) =>
        isDeepStrictEqual(readCanonical(encode(value), MAX_DEPTH), freezeCopy(value)),
      ),
      { numRuns: 500 },
    );
  });

  it("takes no bytes that are not the one form of what it reads", () => {
    fc.assert(
      fc.property(fc.oneof(changed, twice, fc.uint8Array({ minLength: 1, maxLength: 40 })), (bytes) => {
        const value = readOrRefuse(bytes);
        return value === undefined || Buffer.compare(encode(value), bytes) === 0;
      }),
      { numRuns: 2000 },
    );
  });

  it("reads a part of a larger buffer, and freezes what it gives through and through", () => {
    fc.assert(
      fc.property(json, fc.nat({ max: 20 }), (value, before) => {
        const bytes = encode(value);
        const larger = new Uint8Array(before + bytes.length + 7).fill(0x61);
        larger.set(bytes, before);
        const read = decode(larger.subarray(before, before + bytes.length));
        return isFrozen(read) && isDeepStrictEqual(read, freezeCopy(value));
      }),
    );
  });
});

// cborg is somebody else's reading of the same standard.
describe("the codec beside cborg", () => {
  it("writes the same bytes", () => {
    fc.assert(
      fc.property(json, (value) => {
        const copy = freezeCopy(value);
        return Buffer.compare(encode(copy), cborEncode(copy, { float64: true })) === 0;
      }),
      { numRuns: 2000 },
    );
  });

  it("reads the same values, and refuses what cborg would write otherwise", () => {
    fc.assert(
      fc.property(fc.oneof(json.map(encode), changed, twice), (bytes) => {
        const value = readOrRefuse(bytes);
        return isDeepStrictEqual(value, readByCborg(bytes));
      }),
      { numRuns: 2000 },
    );
  });
});

/** `undefined` for bytes that are refused. */
function readOrRefuse(bytes: Uint8Array): JsonValue | undefined {
  try {
    return readCanonical(bytes, MAX_DEPTH);
  } catch (error) {
    if (error instanceof DecodeError) return undefined;
    throw error;
  }
}

/** The same by cborg, which takes unsorted keys, short floats and malformed text: none of these comes back as it was. */
function readByCborg(bytes: Uint8Array): JsonValue | undefined {
  try {
    const value = cborDecode(bytes, { strict: true, allowUndefined: false, rejectDuplicateMapKeys: true });
    return Buffer.compare(cborEncode(freezeCopy(value), { float64: true }), bytes) === 0
      ? freezeCopy(value)
      : undefined;
  } catch {
    return undefined;
  }
}

function isFrozen(value: JsonValue): boolean {
  if (typeof value !== "object" || value === null) return true;
  return Object.isFrozen(value) && Object.values(value).every(isFrozen);
}

function isCanonicalOrRefused(bytes: Uint8Array): boolean {
  try {
    return Buffer.compare(encode(decode(bytes)), bytes) === 0;
  } catch (error) {
    return error instanceof DecodeError;
  }
}
