import { hashBytes } from "@uncaged/json-cas";
import { describe, expect, it } from "vitest";
import { createHashTable } from "../../src/table.js";

const MANY = [...Array(5000).keys()].map((n) => hashBytes(Buffer.from(String(n))));

describe("a table of hashes", () => {
  it("has them in the order in which they came, each once, and finds each, however many there are", () => {
    const table = createHashTable(MANY);
    expect([...MANY].reverse().map(table.add)).toEqual(MANY.map((_hash, place) => 4999 - place));
    expect([table.size(), [...table.values()]]).toEqual([5000, MANY]);
    expect(MANY.every((hash, place) => table.has(hash) && table.placeOf(hash) === place)).toBe(true);
    const other = hashBytes(Buffer.from("other"));
    expect([table.placeOf(other), table.has(other)]).toEqual([-1, false]);
  });
});
