import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { diffDocuments, differenceHtml, differenceSummary, differenceText } from "../src/index.js";
import { documentOf, type Extras, heading, paragraph, relationship, run, table } from "./support/document.js";
import { pair, render } from "./support/generate.js";

const BY = { author: "uwf", date: null };

function difference(old: string, now: string, extras: readonly [Extras, Extras] = [{}, {}]) {
  return diffDocuments(documentOf(old, extras[0]), documentOf(now, extras[1]), BY);
}

const text = (old: string, now: string): string =>
  differenceText(difference(old, now), { maxCharacters: null });

/** A document whose header says this. */
function withHeader(words: string): Extras {
  const header = documentOf(paragraph(words)).parts.get("word/document.xml") ?? new Uint8Array();
  const xml = Buffer.from(header)
    .toString()
    .replaceAll("w:document", "w:hdr")
    .replaceAll(/<\/?w:body>/g, "");
  return {
    relationships: relationship("rId9", "header", "header1.xml"),
    parts: { "word/header1.xml": xml },
  };
}

describe("differenceText", () => {
  it("shows each block with its number under its heading", () => {
    const old =
      heading("Fruit") + paragraph("We have three apples.") + paragraph("Pears are out.") + heading("Staff");
    const now =
      heading("Fruit") + paragraph("We have four apples.") + heading("Staff") + paragraph("Ann joins.");
    expect(text(old, now)).toBe(`Fruit
  2: We have [-three-]{+four+} apples.
  old 3: [-Pears are out.-]

Staff
  4: {+Ann joins.+}
`);
  });

  it("says nothing of equal documents", () => {
    expect(text(paragraph("one"), paragraph("one"))).toBe("");
    expect(differenceSummary(difference(paragraph("one"), paragraph("one")))).toBe("no difference");
  });

  it("takes a number, a time and a word with an apostrophe for one word each", () => {
    expect(text(paragraph("It costs 2,800 euros."), paragraph("It costs 3,000 euros."))).toBe(
      "  1: It costs [-2,800-]{+3,000+} euros.\n",
    );
    expect(text(paragraph("at 12:30, 1.5kg, 5'000"), paragraph("at 12:45, 2.5kg, 6'000"))).toBe(
      "  1: at [-12:30-]{+12:45+}, [-1.5kg-]{+2.5kg+}, [-5'000-]{+6'000+}\n",
    );
    expect(text(paragraph("we don't, say 1, 2."), paragraph("we won't, say 1, 3."))).toBe(
      "  1: we [-don't-]{+won't+}, say 1, [-2-]{+3+}.\n",
    );
  });

  it("shows rows of a table, and tells where only the format differs", () => {
    const old = table([
      ["Ann", "1,000"],
      ["Bob", "2,000"],
    ]);
    expect(text(old, old.replace("2,000", "2,500"))).toBe("  1: Bob | [-2,000-]{+2,500+}\n");
    expect(
      text(`<w:p>${run("all ")}${run("new")}</w:p>`, `<w:p>${run("all ")}${run("new", "<w:b/>")}</w:p>`),
    ).toBe("  1: all [-new-]{+new+} (only its format)\n");
  });

  it("shows a paragraph with another style as one change, unless it has moved or has a picture", () => {
    const [a, b, c] = [paragraph("one"), paragraph("two"), paragraph("three")];
    const styled = (words: string): string => paragraph(words, '<w:pStyle w:val="Quote"/>');
    expect(text(a + b + c, a + styled("two") + c)).toBe("  2: two (only its format)\n");
    expect(text(a + b + c, styled("one") + styled("two") + c)).toBe(
      "  1: one (only its format)\n  2: two (only its format)\n",
    );
    expect(text(b + a + c, a + styled("two") + c)).toBe("  old 1: [-two-]\n  2: {+two+}\n");
    const note = (words: string): string =>
      words.replace("</w:p>", '<w:r><w:footnoteReference w:id="7"/></w:r></w:p>');
    expect(text(note(b) + c, note(styled("two")) + c)).toBe(
      "  old 1: [-two[footnote]-]\n  1: {+two[footnote]+}\n",
    );
  });

  it("shows an empty paragraph as its end", () => {
    const [a, b] = [paragraph("one"), paragraph("two")];
    expect(text(a + b, `${a}<w:p/>${b}`)).toBe("  2: {+¶+}\n");
    expect(text(`${a}<w:p/>${b}`, a + b)).toBe("  old 2: [-¶-]\n");
  });

  it("compares headers word by word, and names what else differs", () => {
    const body = paragraph("one");
    const found = difference(body, body, [withHeader("Draft of May"), withHeader("Draft of June")]);
    expect(differenceText(found, { maxCharacters: null })).toBe(
      "Outside of the text\n  header (word/header1.xml): Draft of [-May-]{+June+}\n",
    );
    expect(differenceSummary(found)).toBe("the header differs");
  });

  it("leaves out what is far from a change", () => {
    const words = (count: number): string => Array.from({ length: count }, (_, at) => `word${at}`).join(" ");
    const old = paragraph(`${words(500)} old end ${words(500)}`);
    const shown = text(old, old.replace("old end", "new end"));
    expect(shown).toMatch(/^ {2}1: … word\d+ .* word499 \[-old-\]\{\+new\+\} end word0 .* word\d+ …\n$/);
    expect(shown.length).toBeLessThan(400);
  });

  it("counts what does not fit", () => {
    const lines = (word: string): string =>
      [1, 2, 3, 4, 5, 6].map((at) => paragraph(`${word} ${at}`)).join("");
    const found = difference(paragraph("end"), lines("line") + paragraph("end"));
    expect(differenceText(found, { maxCharacters: 70 })).toBe(
      "  1: {+line 1+}\n  2: {+line 2+}\n  3: {+line 3+}\n… 3 more\n",
    );
    expect(differenceText(found, { maxCharacters: 1000 })).toContain("  6: {+line 6+}\n");
  });

  it("never gets longer than asked for", () => {
    fc.assert(
      fc.property(pair, fc.integer({ min: 20, max: 400 }), ([a, b], maxCharacters) => {
        const [one, other] = [render(a, 0), render(b, 50)];
        const found = difference(one.body, other.body, [one.extras, other.extras]);
        expect(differenceText(found, { maxCharacters }).length).toBeLessThanOrEqual(maxCharacters);
      }),
      { numRuns: 200, seed: 20261125 },
    );
  });
});

describe("differenceSummary", () => {
  it("counts blocks by what has happened to them", () => {
    const old = paragraph("We have three apples.") + paragraph("Pears are out.") + paragraph("end");
    const now = paragraph("We have four apples.") + paragraph("end") + paragraph("Nobody knew this before.");
    expect(differenceSummary(difference(old, now))).toBe("1 block changed, 1 inserted, 1 deleted");
  });
});

describe("differenceHtml", () => {
  const hostile = `</ins></style><script>alert(1)</script>"'&\u202eevil`;

  it("is a page without scripts or addresses, whatever the documents say", () => {
    const found = difference(
      heading(hostile) + paragraph("a"),
      heading(hostile) + paragraph(`a ${hostile}`),
      [withHeader("x"), withHeader(hostile)],
    );
    const page = differenceHtml(found, { old: hostile, new: "b.docx" });
    const ours =
      /<(?:!doctype|html|head|meta|title|style|body|main|h1|h2|p|section|div|br|del|ins|span)\b[^>]*>|<\/\w+>/g;
    expect(page.replace(/<style>[\s\S]*?<\/style>/, "").replace(ours, "")).not.toMatch(/[<>\u202e]/);
    expect(page).toContain("&lt;script&gt;alert(1)&lt;/script&gt;&quot;&#39;&amp;[U+202E]evil");
    expect(page).toContain("default-src 'none'; style-src 'sha256-");
    expect(page).not.toMatch(/https?:|url\(|@import|\bon\w+=/);
  });

  it("shows all of the text, with deletions and insertions as such", () => {
    const page = differenceHtml(
      difference(heading("Fruit") + paragraph("three apples"), heading("Fruit") + paragraph("four apples")),
      {
        old: "a.docx",
        new: "b.docx",
      },
    );
    expect(page).toContain('<h2 dir="auto">Fruit</h2>');
    expect(page).toContain("<del>three</del><ins>four</ins> apples");
    expect(page).toContain("<p>1 block changed</p>");
  });
});
