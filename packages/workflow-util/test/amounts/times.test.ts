import { describe, expect, it } from "vitest";
import { ago, bytes, count, counted, duration, money } from "../../src/index.js";

const S = 1000;
const MIN = 60 * S;
const H = 60 * MIN;
const D = 24 * H;

describe("a time as a person says it", () => {
  it.each([
    [0, "now"],
    [999, "now"],
    [12 * S, "12 s ago"],
    [MIN - 1, "59 s ago"],
    [3 * MIN + 59 * S, "3 min ago"],
    [H, "1 h ago"],
    [2 * D, "2 d ago"],
    [364 * D, "364 d ago"],
    [800 * D, "2 y ago"],
    [-2 * D, "in 2 d"],
    [-90 * S, "in 1 min"],
  ])("%i ms before now: %s", (before, words) => {
    expect(ago(5000 * D - before, 5000 * D)).toBe(words);
  });
});

describe("a duration", () => {
  it.each([
    [0, "0 ms"],
    [350.7, "350 ms"],
    [4250, "4.2 s"],
    [9999, "9.9 s"],
    [42 * S, "42 s"],
    [MIN - 1, "59 s"],
    [3 * MIN + 5 * S, "3 min 05 s"],
    [H + 5 * MIN, "1 h 05 min"],
    [2 * D + 3 * H, "2 d 03 h"],
  ])("of %d ms: %s", (ms, words) => {
    expect(duration(ms)).toBe(words);
  });
});

describe("an amount", () => {
  it.each([
    [0, "$0"],
    [0.00001, "<$0.0001"],
    [0.0042, "$0.0042"],
    [0.99499, "$0.9950"],
    [0.9999, "$1.00"],
    [12.4, "$12.40"],
  ])("of money, %d: %s", (usd, words) => {
    expect(money(usd)).toBe(words);
  });

  it.each([
    [0, "0"],
    [950, "950"],
    [1234, "1.2k"],
    [9960, "10k"],
    [12_340, "12k"],
    [999_499, "999k"],
    [999_500, "1.0M"],
    [3_400_000, "3.4M"],
  ])("of tokens, %d: %s", (value, words) => {
    expect(count(value)).toBe(words);
  });

  it.each([
    [0, "0 B"],
    [950, "950 B"],
    [1230, "1.2 KiB"],
    [12 * 1024 * 1024, "12 MiB"],
  ])("of bytes, %d: %s", (value, words) => {
    expect(bytes(value)).toBe(words);
  });

  it("has the singular of 1 alone", () => {
    expect([0, 1, 2].map((value) => counted(value, "step"))).toEqual(["0 steps", "1 step", "2 steps"]);
    expect(counted(2, "child", "children")).toBe("2 children");
  });
});
