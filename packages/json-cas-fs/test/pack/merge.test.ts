import { describe, expect, it } from "vitest";
import { toMerge } from "../../src/store/pack.js";

const merged = (sizes: readonly number[], bytes: number) =>
  toMerge(
    sizes.map((size) => ({ size })),
    bytes,
  ).map(({ size }) => size);

describe("the packs that are merged with what is new", () => {
  it("are the smallest ones, up to twice the size of what goes into the new one already", () => {
    expect(merged([21, 20], 10)).toEqual([20, 21]);
    expect(merged([21], 10)).toEqual([]);
    expect(merged([91, 20, 61], 10)).toEqual([20]);
    expect(merged([60, 20], 10)).toEqual([20, 60]);
    expect(merged([], 10)).toEqual([]);
  });

  it("are so many in any case that fewer than 32 stay", () => {
    // Each more than twice as large as all smaller ones together.
    const apart = (count: number) => Array.from({ length: count }, (_, at) => 3 ** at);
    expect(merged(apart(31), 0)).toEqual([]);
    expect(merged(apart(32), 0)).toEqual([1]);
    expect(merged(apart(34), 0)).toEqual([1, 3, 9]);
  });
});
