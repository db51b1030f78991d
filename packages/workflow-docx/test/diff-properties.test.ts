import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  acceptChanges,
  type Difference,
  type Document,
  diffDocuments,
  docxMessage,
  openDocument,
  rejectChanges,
  saveDocument,
} from "../src/index.js";
import { documentOf, heading, paragraph, SECTION, table } from "./support/document.js";
import { type Block, pair, render } from "./support/generate.js";
import { shapeOf } from "./support/shape.js";

const BY = { author: "uwf", date: null };

function made(blocks: readonly Block[], offset: number): Document {
  const { body, extras } = render(blocks, offset);
  return documentOf(body, extras);
}

/** The tracked changes, written and read again. */
function tracked({ tracked: found }: Difference): Document {
  if (!found.ok) throw new Error(docxMessage(found.error));
  const opened = openDocument(saveDocument(found.value));
  if (!opened.ok) throw new Error(docxMessage(opened.error));
  return opened.value;
}

describe("for two documents of any kind, the tracked changes", () => {
  it("give the new one when accepted and the old one when rejected", () => {
    const runs = { numRuns: 2000, seed: 20261125 };
    fc.assert(
      fc.property(pair, ([a, b]) => {
        const [old, now] = [made(a, 0), made(b, 50)];
        const difference = diffDocuments(old, now, BY);
        const changes = tracked(difference);
        expect(shapeOf(acceptChanges(changes))).toBe(shapeOf(now));
        expect(shapeOf(rejectChanges(changes))).toBe(shapeOf(old));
        expect(difference.changes.length === 0).toBe(shapeOf(old) === shapeOf(now));
      }),
      runs,
    );
  });

  it("are none for one document with other ids", () => {
    fc.assert(
      fc.property(pair, ([a]) => {
        const difference = diffDocuments(made(a, 0), made(a, 70), BY);
        expect(difference.changes).toEqual([]);
        expect(shapeOf(tracked(difference))).toBe(shapeOf(made(a, 70)));
      }),
      { numRuns: 100, seed: 7 },
    );
  });

  it("are made of tables with empty properties, as LibreOffice writes them", () => {
    const withEmpty = (rows: readonly (readonly string[])[]): string =>
      table(rows).replaceAll("<w:tr>", "<w:tr><w:trPr/>");
    const [old, now] = [documentOf(paragraph("a")), documentOf(withEmpty([["x"]]) + paragraph("a"))];
    for (const [from, to] of [
      [old, now],
      [now, old],
    ] as const) {
      const changes = tracked(diffDocuments(from, to, BY));
      const without = (text: string): string => text.replaceAll("<w:trPr/>\n", "");
      expect(without(shapeOf(acceptChanges(changes)))).toBe(without(shapeOf(to)));
      expect(without(shapeOf(rejectChanges(changes)))).toBe(without(shapeOf(from)));
    }
  });

  it("join paragraphs over a bookmark that ends between them", () => {
    const mark = (xml: string): string =>
      `<w:bookmarkStart w:id="9" w:name="x"/>${xml}<w:bookmarkEnd w:id="9"/>`;
    const [title, items] = [heading("Title"), paragraph("one") + paragraph("two")];
    const [old, now] = [documentOf(items + mark(title) + SECTION), documentOf(mark(title + items) + SECTION)];
    const changes = tracked(diffDocuments(old, now, BY));
    expect(shapeOf(acceptChanges(changes))).toBe(shapeOf(now));
    expect(shapeOf(rejectChanges(changes))).toBe(shapeOf(old));
  });
});
