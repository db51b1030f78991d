import { describe, expect, it } from "vitest";
import { utcDay } from "../../src/logger.js";

const DAY_MS = 86_400_000;

function expected(epochMs: number): string {
  return new Date(epochMs).toISOString().slice(0, 10);
}

describe("the day of a time", () => {
  it("is that of toISOString on every day of 800 years, at its first and its last millisecond", () => {
    const wrong: number[] = [];
    for (let day = Date.UTC(1600, 0, 1); day < Date.UTC(2400, 2, 1); day += DAY_MS) {
      const both = [utcDay(day), utcDay(day + DAY_MS - 1)];
      if (both.some((one) => one !== expected(day))) wrong.push(day);
    }
    expect(wrong).toEqual([]);
  });

  it.each([0, -1, Date.UTC(2000, 1, 29), Date.UTC(1900, 1, 28), Date.UTC(9999, 11, 31), 1795298015149.5])(
    "is that of toISOString at %d",
    (time) => {
      expect(utcDay(time)).toBe(expected(time));
    },
  );
});
