import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  computeHash,
  decodeNode,
  encodeNode,
  type Hash,
  selfHash,
  verify,
  verifyEncoded,
} from "../../src/index.js";

const TYPE = "3RZYZ9X0Y34K7" as Hash;
const OTHER = "0123456789ABC" as Hash;
/** The last one that a date can be. */
const LAST = 8.64e15;
const timestamps = fc.oneof(
  fc.constantFrom(0, 23, 24, 255, 256, 65535, 65536, 2 ** 32 - 1, 2 ** 32, LAST),
  fc.nat({ max: Number.MAX_SAFE_INTEGER }).map((time) => time % (LAST + 1)),
);
const payloads = fc.jsonValue({ maxDepth: 3 }).map((value) => JSON.parse(JSON.stringify(value)));

describe("verifyEncoded", () => {
  it("says of a node's bytes what verify says of the node, whatever payload and timestamp", () => {
    fc.assert(
      fc.property(payloads, timestamps, (payload, timestamp) => {
        const bytes = encodeNode({ type: TYPE, payload, timestamp });
        const node = decodeNode(bytes);
        const hash = computeHash(TYPE, payload);
        expect([verify(hash, node), verifyEncoded(hash, node, bytes)]).toEqual([true, true]);
        expect([verify(OTHER, node), verifyEncoded(OTHER, node, bytes)]).toEqual([false, false]);
      }),
    );
  });

  it("hashes a node that is its own type without one", () => {
    const payload = { title: "root" };
    const hash = selfHash(payload);
    const bytes = encodeNode({ type: hash, payload, timestamp: 1 });
    expect(verifyEncoded(hash, decodeNode(bytes), bytes)).toBe(true);
  });
});
