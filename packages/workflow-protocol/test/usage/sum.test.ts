import { describe, expect, it } from "vitest";
import { addedSums, sumOfUsage } from "../../src/index.js";

const usage = (inputTokens: number, costUsd: number | null) => ({
  inputTokens,
  outputTokens: 1,
  totalTokens: inputTokens + 1,
  costUsd,
});

describe("the sum of what runs used", () => {
  it("adds known values and counts unknown ones", () => {
    expect(sumOfUsage([usage(10, 0.1), usage(20, null), null, usage(30, 0.2)])).toEqual({
      inputTokens: 60,
      outputTokens: 3,
      totalTokens: 63,
      costUsd: 0.3,
      unknown: { tokens: 1, cost: 2 },
    });
  });

  it("is null if no run reports it, never 0", () => {
    expect(sumOfUsage([null, null])).toEqual({
      inputTokens: null,
      outputTokens: null,
      totalTokens: null,
      costUsd: null,
      unknown: { tokens: 2, cost: 2 },
    });
    expect(sumOfUsage([usage(0, null)])).toMatchObject({ inputTokens: 0, costUsd: null });
  });

  it("is 0 where there was no run", () => {
    expect(sumOfUsage([])).toMatchObject({ totalTokens: 0, costUsd: 0, unknown: { tokens: 0, cost: 0 } });
  });
});

describe("the sum of sums", () => {
  const free = sumOfUsage([]);
  const unknown = sumOfUsage([null, null]);

  it("is not known where nothing was used here, and elsewhere nobody knows what was", () => {
    expect(addedSums([free, unknown])).toMatchObject({
      totalTokens: null,
      costUsd: null,
      unknown: { cost: 2 },
    });
    expect(addedSums([free, sumOfUsage([usage(10, null)])])).toMatchObject({
      inputTokens: 10,
      costUsd: null,
    });
  });

  it("is what is known where something is, and 0 where nothing was used", () => {
    const known = sumOfUsage([usage(10, 0.1)]);
    expect(addedSums([known, unknown, free])).toMatchObject({
      costUsd: 0.1,
      unknown: { tokens: 2, cost: 2 },
    });
    expect(addedSums([free, free])).toMatchObject({ totalTokens: 0, costUsd: 0 });
    expect(addedSums([])).toMatchObject({ totalTokens: 0, costUsd: 0 });
  });
});
