import { createDocument, outlineOf } from "@uncaged/workflow-docx";
import { describe, expect, it } from "vitest";
import { outlineText } from "../../src/document.js";

function textOf(blocks: unknown, maxCharacters: number): readonly string[] {
  const created = createDocument(blocks);
  if (!created.ok) throw new Error(created.error.code);
  const outline = outlineOf(created.value);
  return outlineText({ ...outline, styles: ["Normal"] }, maxCharacters).split("\n");
}

describe("an outline as text", () => {
  it("has a line for each block and each row, with what an edit needs", () => {
    const blocks = [
      { kind: "heading", level: 2, text: "Prices" },
      { kind: "paragraph", text: "Two  spaces count\u00a0once." },
      { kind: "paragraph", text: "" },
      { kind: "list", ordered: true, items: ["one"] },
      {
        kind: "table",
        header: true,
        rows: [
          ["What", "Price"],
          ["chair\nor stool", "20"],
        ],
      },
    ];
    const lines = textOf(blocks, 10_000).map((line) => line.replace(/ \([A-Za-z]+\)/, ""));
    expect(lines).toEqual([
      "1 heading 2: Prices",
      "2 paragraph: Two spaces count once.",
      "3 paragraph:",
      "4 item: one",
      "5 table:",
      "  row 1: What | Price",
      "  row 2: chair or stool | 20",
      // Behind a table a word processor needs one.
      "6 paragraph:",
      "styles: Normal",
    ]);
  });

  it("leaves out complete blocks from the end, and says how many", () => {
    const blocks = ["one", "two", "three"].map((text) => ({ kind: "paragraph", text }));
    expect(textOf(blocks, 20)).toEqual([
      "1 paragraph: one",
      "… 2 more blocks, for which there is no room here: `uwf-agent-docx outline <file>` shows all, of a stored document after `uwf cas file get <hash> -o <file>`",
      "styles: Normal",
    ]);
  });
});
