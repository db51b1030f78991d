import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fitNewest } from "../../src/commands/thread/markdown.js";

describe("the newest texts that fit", () => {
  it("are given in their original order", () => {
    expect(fitNewest(["aa", "bb", "cc"], 4, (text) => text)).toEqual(["bb", "cc"]);
  });

  it("are at least one, however long it is", () => {
    expect(fitNewest(["a", "x".repeat(100)], 10, (text) => text)).toEqual(["x".repeat(100)]);
  });

  it("are none of nothing", () => {
    expect(fitNewest([], 10, (text: string) => text)).toEqual([]);
  });

  it("are the longest run of last texts within the quota", () => {
    fc.assert(
      fc.property(fc.array(fc.string({ maxLength: 9 })), fc.integer({ min: 1, max: 40 }), (texts, quota) => {
        const fitted = fitNewest(texts, quota, (text) => text);
        const count = fitted.length;
        expect(fitted).toEqual(texts.slice(texts.length - count));
        const used = fitted.join("").length;
        const more = texts.slice(0, texts.length - count).at(-1);
        expect(count <= 1 || used <= quota).toBe(true);
        expect(more === undefined || used + more.length > quota).toBe(true);
      }),
    );
  });
});
