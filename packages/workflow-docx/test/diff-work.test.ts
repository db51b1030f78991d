import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { diffWithin } from "../src/diff/diff.js";
import { MOST_MARKED, MOST_WORK } from "../src/diff/sequence.js";
import { blockKey, sideOf } from "../src/diff/side.js";
import { acceptChanges, type Difference, type Document, diffDocuments, rejectChanges } from "../src/index.js";
import { bodyOf } from "../src/outline.js";
import { elementsOf } from "../src/xml.js";
import { documentOf, type Extras, NAMESPACES, paragraph, relationship, run } from "./support/document.js";
import { pair, render } from "./support/generate.js";
import { shapeOf } from "./support/shape.js";

const BY = { author: "uwf", date: null };
const OFFICE = "application/vnd.openxmlformats-officedocument.wordprocessingml";
const LONG = "x".repeat(5000);

const times = (count: number, make: (at: number) => string): string =>
  Array.from({ length: count }, (_, at) => make(at)).join("");

/** Paragraphs of words in an order of their own, from a few words that all of them share. */
function shuffled(paragraphs: number, words: number, seed: number): string {
  let state = seed;
  const next = (): number => {
    state = (Math.imul(state, 1103515245) + 12345) & 0x7fffffff;
    return (state >> 8) % 30;
  };
  return times(paragraphs, () => paragraph(Array.from({ length: words }, () => `w${next()}`).join(" ")));
}

function cell(inner: string): string {
  return `<w:tbl><w:tblPr/><w:tblGrid/><w:tr><w:tc>${inner}<w:p/></w:tc></w:tr></w:tbl>`;
}

function nested(depth: number, inner: string): string {
  return depth === 0 ? inner : cell(nested(depth - 1, inner));
}

function withPart(kind: "numbering" | "footnotes", content: string): Extras {
  return {
    relationships: relationship("rId9", kind, `${kind}.xml`),
    parts: { [`word/${kind}.xml`]: `<w:${kind} ${NAMESPACES}>${content}</w:${kind}>` },
    types: `<Override PartName="/word/${kind}.xml" ContentType="${OFFICE}.${kind}+xml"/>`,
  };
}

const LIST = withPart(
  "numbering",
  `<w:abstractNum w:abstractNumId="0"><w:lvl w:ilvl="0"><w:lvlText w:val="${LONG}"/></w:lvl></w:abstractNum><w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num>`,
);
const ITEM = paragraph("a", '<w:numPr><w:ilvl w:val="0"/><w:numId w:val="1"/></w:numPr>');
const NOTE = withPart("footnotes", `<w:footnote w:id="2">${paragraph(LONG)}</w:footnote>`);
const LINK = { relationships: relationship("rId9", "hyperlink", `http://x.example/${LONG}`, true) };

type Repeated = { readonly what: string; readonly body: string; readonly extras: Extras };

/** What is written once, and counts for everything that has it. */
const REPEATED: readonly Repeated[] = [
  {
    what: "a format of tabs",
    body: `<w:p><w:r><w:rPr><w:rFonts w:ascii="${LONG}"/></w:rPr>${"<w:tab/>".repeat(50)}</w:r></w:p>`,
    extras: {},
  },
  { what: "a list of items", body: ITEM.repeat(50), extras: LIST },
  {
    what: "a note of references",
    body: `<w:p>${'<w:r><w:footnoteReference w:id="2"/></w:r>'.repeat(50)}</w:p>`,
    extras: NOTE,
  },
  {
    what: "a link around tabs",
    body: `<w:p><w:hyperlink w:anchor="${LONG}">${"<w:r><w:tab/></w:r>".repeat(50)}</w:hyperlink></w:p>`,
    extras: {},
  },
  {
    what: "an address of links",
    body: `<w:p><w:hyperlink r:id="rId9">${run("a")}</w:hyperlink></w:p>`.repeat(50),
    extras: LINK,
  },
  { what: "a text in nested tables", body: nested(40, paragraph(LONG)), extras: {} },
];

/** The same where what is written once has one letter more. */
function changed({ what, body, extras }: Repeated): Repeated {
  const longer = (text: string): string => text.replaceAll(LONG, `${LONG}y`);
  const parts = Object.entries(extras.parts ?? {}).map(([name, text]) => [name, longer(String(text))]);
  const relationships = longer(extras.relationships ?? "");
  return { what, body: longer(body), extras: { ...extras, relationships, parts: Object.fromEntries(parts) } };
}

function provenOf({ tracked }: Difference): Document {
  if (!tracked.ok) throw new Error(JSON.stringify(tracked.error));
  return tracked.value;
}

describe("the keys by which documents are compared", () => {
  it.each(REPEATED)("are short for $what", ({ body, extras }) => {
    const document = documentOf(cell(body) + paragraph("b"), extras);
    const side = sideOf(document, "definitions");
    for (const one of elementsOf(bodyOf(document))) expect(blockKey(one, side).length).toBeLessThan(200);
  });

  it.each(REPEATED)("differ where $what differs", (repeated) => {
    const made = ({ body, extras }: Repeated): Document => documentOf(body + paragraph("b"), extras);
    const [old, now] = [made(repeated), made(changed(repeated))];
    expect(diffDocuments(old, now, BY).changes.length).toBeGreaterThan(0);
    expect(diffDocuments(old, made(repeated), BY).isEqual).toBe(true);
  });

  it("have room for a long format that 11,000 characters have", () => {
    const made = (font: string): Document =>
      documentOf(
        `<w:p><w:r><w:rPr><w:rFonts w:ascii="${"f".repeat(50_000)}${font}"/></w:rPr>${"<w:tab/>".repeat(11_000)}</w:r></w:p>`,
      );
    const difference = diffDocuments(made("a"), made("b"), BY);
    expect(difference.changes).toHaveLength(1);
    expect(difference.tracked.ok).toBe(true);
  });
});

describe("a comparison whose work is used up", () => {
  it("gives tracked changes all the same, that lead from the old document to the new one", () => {
    fc.assert(
      fc.property(pair, fc.integer({ min: 0, max: 3000 }), ([a, b], left) => {
        const [one, two] = [render(a, 0), render(b, 50)];
        const [old, now] = [documentOf(one.body, one.extras), documentOf(two.body, two.extras)];
        const changes = provenOf(diffWithin({ work: { left }, room: { left: MOST_MARKED } }, old, now, BY));
        expect(shapeOf(acceptChanges(changes))).toBe(shapeOf(now));
        expect(shapeOf(rejectChanges(changes))).toBe(shapeOf(old));
      }),
      { numRuns: 200, seed: 36 },
    );
  });

  it("takes whole paragraphs: they are gone, and others have come", () => {
    const [old, now] = [documentOf(shuffled(100, 20, 1)), documentOf(shuffled(100, 20, 2))];
    const whole = diffWithin({ work: { left: 0 }, room: { left: MOST_MARKED } }, old, now, BY);
    // The end of the last one stays.
    const kinds = whole.changes.slice(0, -1).map(({ change }) => change);
    expect([...new Set(kinds)].sort()).toEqual(["deleted", "inserted"]);
    expect(diffDocuments(old, now, BY).changes.map(({ change }) => change)).toContain("changed");
  });

  it.each([
    ["paragraphs", (seed: number) => shuffled(400, 20, seed)],
    ["one long paragraph", (seed: number) => shuffled(1, 8000, seed)],
    ["rows", (seed: number) => table(shuffled(400, 20, seed)) + paragraph("x")],
    ["tables", (seed: number) => times(80, (at) => table(shuffled(12, 20, seed + 2 * at))) + paragraph("x")],
  ])("does hardly more than what was left, for %s", (_, made) => {
    const [old, now] = [documentOf(made(1)), documentOf(made(2))];
    const work = { left: 100_000 };
    const difference = diffWithin({ work, room: { left: MOST_MARKED } }, old, now, BY);
    // The rest of a budget may be less than one more step costs.
    expect(work.left).toBeLessThan(1000);
    expect(work.left).toBeGreaterThan(-1_000_000);
    provenOf(difference);
  });
});

describe("two documents that differ in more elements than can be marked", () => {
  const within = (left: number, old: Document, now: Document): Difference =>
    diffWithin({ work: { left: MOST_WORK }, room: { left } }, old, now, BY);

  it.each([
    ["paragraphs", (seed: number) => shuffled(60, 20, seed)],
    ["rows", (seed: number) => table(shuffled(60, 20, seed)) + paragraph("x")],
    ["tables", (seed: number) => times(9, () => table(shuffled(3, 20, seed)) + paragraph("x"))],
  ])("have the same differences and no tracked changes, for %s", (_, made) => {
    const [old, now] = [documentOf(made(1)), documentOf(made(2))];
    const [marked, found] = [diffDocuments(old, now, BY), within(100, old, now)];
    expect(marked.tracked.ok).toBe(true);
    expect(found.changes).toEqual(marked.changes);
    expect(found.tracked).toMatchObject({ ok: false, error: { code: "DOCX_UNPROVEN" } });
  });

  it("are not two documents of any length that are the same", () => {
    const [old, now] = [documentOf(shuffled(400, 20, 1)), documentOf(shuffled(400, 20, 1))];
    provenOf(within(0, old, now));
  });

  it("have one difference where they have a hundred thousand blocks", () => {
    const made = (letter: string): Document =>
      documentOf(times(51_000, (at) => `<w:p><w:r><w:t>${letter}${at}</w:t></w:r></w:p>`));
    const { changes, tracked, isEqual } = within(1000, made("a"), made("b"));
    expect(isEqual).toBe(false);
    expect(tracked).toMatchObject({ ok: false, error: { code: "DOCX_UNPROVEN" } });
    expect(changes).toMatchObject([{ change: "changed", kind: "paragraph", block: 1, isFormatOnly: false }]);
    expect(changes[0]?.text).toMatch(/^\[-a0\na1\n[^-]*a50999-\]\{\+b0\nb1\n[^+]*b50999\+\}$/);
  });
});

/** A row for each paragraph. */
function table(paragraphs: string): string {
  const rows = paragraphs
    .replaceAll("<w:p>", "<w:tr><w:tc><w:p>")
    .replaceAll("</w:p>", "</w:p></w:tc></w:tr>");
  return `<w:tbl><w:tblPr/><w:tblGrid/>${rows}</w:tbl>`;
}
