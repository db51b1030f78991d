import type { Hash } from "@uncaged/json-cas";
import { describe, expect, it } from "vitest";
import { hashOfNumber, hashTableOf, numberOf } from "../../src/table.js";

const HASHES = [
  "FZZZZZZZZZZZZ",
  "0000000000000",
  "6SRVT3BFQTWV3",
  "0123456789ABC",
  "64KB4T4A9CKTS",
] as Hash[];

describe("a table of hashes", () => {
  it("keeps each as a number and gives it back", () => {
    for (const hash of HASHES) expect(hashOfNumber(numberOf(hash))).toBe(hash);
  });

  it("has them in the order of their text, and finds each", () => {
    const table = hashTableOf(HASHES);
    const places = [...Array(table.size).keys()];
    expect(places.map(table.hashAt)).toEqual([...HASHES].sort());
    expect(places.map((place) => table.placeOf(table.hashAt(place)))).toEqual(places);
    expect(table.placeOf("1111111111111" as Hash)).toBe(-1);
  });

  it("grows as it is filled", () => {
    const many = [...Array(5000).keys()].map((n) => hashOfNumber(BigInt(n) * 977n));
    const table = hashTableOf(many);
    expect(table.size).toBe(5000);
    expect(many.every((hash) => table.hashAt(table.placeOf(hash)) === hash)).toBe(true);
  });
});
