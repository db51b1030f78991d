import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import { describe, it } from "vitest";
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
    const changed = fc.tuple(json, fc.nat(), fc.integer({ min: 0, max: 255 })).map(([value, at, byte]) => {
      const bytes = Uint8Array.from(encode(value));
      bytes[at % bytes.length] = byte;
      return bytes;
    });
    fc.assert(
      fc.property(fc.oneof(changed, fc.uint8Array({ minLength: 1, maxLength: 40 })), isCanonicalOrRefused),
    );
  });
});

function isCanonicalOrRefused(bytes: Uint8Array): boolean {
  try {
    return Buffer.compare(encode(decode(bytes)), bytes) === 0;
  } catch (error) {
    return error instanceof DecodeError;
  }
}
