import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { diffDocuments } from "../src/index.js";
import { wordsOf } from "../src/text.js";
import { documentOf, paragraph } from "./support/document.js";

describe("the words of a text", () => {
  it("are words, spaces and signs", () => {
    expect(wordsOf("It's 3.5 m, \u201cso\u201d.")).toEqual([
      ..."It's| |3.5| |m|,| |\u201c|so|\u201d|.".split("|"),
    ]);
  });

  it("are characters where nothing is between words", () => {
    expect(wordsOf("公司 2026 年 budget")).toEqual(["公", "司", " ", "2026", " ", "年", " ", "budget"]);
    expect(wordsOf("ไทย")).toEqual(["ไ", "ท", "ย"]);
  });

  it("are the text again when joined", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        expect(wordsOf(text).join("")).toBe(text);
      }),
      { numRuns: 500, seed: 3 },
    );
  });

  it("are what a difference names", () => {
    const [old, now] = [documentOf(paragraph("公司今年增长")), documentOf(paragraph("公司去年增长"))];
    const { changes } = diffDocuments(old, now, { author: "uwf", date: null });
    expect(changes.map(({ text }) => text)).toEqual(["公司[-今-]{+去+}年增长"]);
  });
});
