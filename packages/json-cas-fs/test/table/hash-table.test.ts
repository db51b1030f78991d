import type { Hash } from "@uncaged/json-cas";
import { describe, expect, it } from "vitest";
import { hashOfHalves, highAt, highOf, lowAt, lowOf } from "../../src/halves.js";
import { createHashTable } from "../../src/table.js";

const HASHES = [
  "FZZZZZZZZZZZZ",
  "0000000000000",
  "6SRVT3BFQTWV3",
  "0123456789ABC",
  "64KB4T4A9CKTS",
] as Hash[];

describe("a table of hashes", () => {
  it("keeps each as two halves of a number and gives it back", () => {
    for (const hash of HASHES) expect(hashOfHalves(highOf(hash), lowOf(hash))).toBe(hash);
    expect([highOf("FZZZZZZZZZZZZ" as Hash), lowOf("FZZZZZZZZZZZZ" as Hash)]).toEqual([
      2 ** 32 - 1,
      2 ** 32 - 1,
    ]);
    expect([highOf("0000000000001" as Hash), lowOf("0000000000001" as Hash)]).toEqual([0, 1]);
  });

  it("reads the halves from the bytes of a text, too", () => {
    const text = Buffer.from(`--${HASHES.join("-")}`);
    const places = HASHES.map((_hash, index) => 2 + index * 14);
    expect(places.map((at) => hashOfHalves(highAt(text, at), lowAt(text, at)))).toEqual(HASHES);
  });

  it("has them in the order in which they came, each once, and finds each", () => {
    const table = createHashTable();
    const places = [...HASHES, ...HASHES].map(table.add);
    expect(places).toEqual([0, 1, 2, 3, 4, 0, 1, 2, 3, 4]);
    expect(HASHES.map((_hash, place) => table.hashAt(place))).toEqual(HASHES);
    expect(HASHES.map(table.placeOf)).toEqual([0, 1, 2, 3, 4]);
    expect(table.placeOf("1111111111111" as Hash)).toBe(-1);
  });

  it("grows as it is filled", () => {
    const table = createHashTable();
    const many = [...Array(5000).keys()].map((n) => hashOfHalves(n * 977, n * 31));
    many.forEach(table.add);
    expect(table.size()).toBe(5000);
    expect(many.every((hash) => table.hashAt(table.placeOf(hash)) === hash)).toBe(true);
  });
});
