import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createDocument, docxMessage, editDocument, outlineOf, saveDocument } from "../src/index.js";

function created(...blocks: readonly unknown[]) {
  const made = createDocument(blocks);
  if (!made.ok) throw new Error(docxMessage(made.error));
  return made.value;
}

function refused(...blocks: readonly unknown[]): string {
  const made = createDocument(blocks);
  return made.ok ? "made" : `${made.error.code}: ${docxMessage(made.error)}`;
}

const xmlOf = (...blocks: readonly unknown[]): string =>
  Buffer.from(created(...blocks).parts.get("word/document.xml") ?? []).toString();

describe("a new document", () => {
  it("has the blocks that it was made of", () => {
    const document = created(
      { kind: "paragraph", text: "Report", style: "Title" },
      { kind: "heading", level: 2, text: "Costs" },
      { kind: "paragraph", text: "They **rise**." },
      { kind: "list", ordered: false, items: ["rent", "tea"] },
      { kind: "list", ordered: true, items: ["pay"] },
      {
        kind: "table",
        header: true,
        rows: [
          ["Item", "EUR"],
          ["Tea", "3"],
        ],
      },
      { kind: "paragraph", text: "End" },
    );
    const seen = outlineOf(document).blocks.map(({ kind, level, style, text }) => [kind, level, style, text]);
    expect(seen).toEqual([
      ["paragraph", null, "Title", "Report"],
      ["heading", 2, "Heading2", "Costs"],
      ["paragraph", null, null, "They rise."],
      ["item", 1, "ListBullet", "rent"],
      ["item", 1, "ListBullet", "tea"],
      ["item", 1, "ListNumber", "pay"],
      ["table", null, null, "Item | EUR\nTea | 3"],
      ["paragraph", null, null, "End"],
    ]);
  });

  it("has what is between stars in bold", () => {
    expect(xmlOf({ kind: "heading", level: 1, text: "a **b** \\*" })).toContain(
      '<w:r><w:t xml:space="preserve">a </w:t></w:r><w:r><w:rPr><w:b/></w:rPr><w:t>b</w:t></w:r><w:r><w:t xml:space="preserve"> *</w:t></w:r>',
    );
  });

  it("has a paragraph for each line of a paragraph and of a cell, and lines in headings and items", () => {
    const table = { kind: "table", header: false, rows: [["x\ny"]] };
    const document = created({ kind: "paragraph", text: "one\r\n\r\ntwo" }, table, {
      kind: "list",
      ordered: true,
      items: ["a\nb"],
    });
    expect(outlineOf(document).blocks.map(({ text }) => text)).toEqual(["one", "two", "x\ny", "a\nb"]);
    expect(xmlOf({ kind: "list", ordered: true, items: ["a\nb"] })).toContain("<w:br/>");
  });

  it("has an ordered list that begins with 1 for each of its ordered lists", () => {
    const list = { kind: "list", ordered: true, items: ["x"] };
    const document = created(list, list, list);
    const numbering = Buffer.from(document.parts.get("word/numbering.xml") ?? []).toString();
    expect(numbering.match(/<w:num w:numId="\d+">/g)).toHaveLength(4);
    expect(xmlOf(list, list, list).match(/<w:numId w:val="\d+"\/>/g)).toEqual([
      '<w:numId w:val="2"/>',
      '<w:numId w:val="3"/>',
      '<w:numId w:val="4"/>',
    ]);
  });

  it("has a row of heads that is repeated on every page, and columns as wide as their texts need", () => {
    const rows = [
      ["No", "What it is"],
      ["1", "a text that is rather long, and needs the room"],
    ];
    const xml = xmlOf({ kind: "table", header: true, rows });
    expect(xml.match(/<w:tblHeader\/>/g)).toHaveLength(1);
    const [first = 0, second = 0] = [...xml.matchAll(/<w:gridCol w:w="(\d+)"/g)].map(([, width]) =>
      Number(width),
    );
    expect(second).toBeGreaterThan(first * 4);
    expect(first + second).toBeLessThanOrEqual(9072);
    expect(xmlOf({ kind: "table", header: false, rows })).not.toContain("tblHeader");
  });

  it("keeps two tables apart, and ends with a paragraph", () => {
    const table = { kind: "table", header: false, rows: [["x"]] };
    expect(outlineOf(created(table, table)).blocks.map(({ kind }) => kind)).toEqual([
      "table",
      "paragraph",
      "table",
      "paragraph",
    ]);
  });

  it("takes edits, also those that name one of its styles", () => {
    const document = created({ kind: "list", ordered: false, items: ["a"] });
    const edited = editDocument(document, [
      { op: "insertAfter", block: 1, expect: "a", text: "b" },
      { op: "insertAfter", block: 1, expect: "a", text: "c", style: "heading 3" },
    ]);
    expect(edited.ok && outlineOf(edited.value).blocks.map(({ kind, text }) => `${kind} ${text}`)).toEqual([
      "item a",
      "item b",
      "heading c",
    ]);
  });

  it("has the same bytes whenever it is made", () => {
    const block = { kind: "paragraph", text: "x" };
    expect(Buffer.from(saveDocument(created(block))).equals(saveDocument(created(block)))).toBe(true);
  });

  it("says what it was told, whatever that is", () => {
    const text = fc
      .string({ unit: "grapheme", minLength: 1 })
      .filter((one) => !/[\p{Cc}\p{Zs}\p{Zl}\p{Zp}*\\]/u.test(one));
    fc.assert(
      fc.property(fc.array(text, { minLength: 1, maxLength: 5 }), (texts) => {
        const blocks = texts.map((one) => ({ kind: "paragraph", text: one }));
        expect(outlineOf(created(...blocks)).blocks.map((block) => block.text)).toEqual(texts);
      }),
      { numRuns: 200, seed: 11 },
    );
  });
});

describe("blocks that are none", () => {
  const cases: readonly (readonly [string, unknown, RegExp])[] = [
    ["no object", "text", /block 1 cannot be understood: it is no object/],
    ["an unknown kind", { kind: "image" }, /kind is one of heading, paragraph, list, table/],
    ["a kind that every object has", { kind: "constructor" }, /kind is one of/],
    ["a level beyond 6", { kind: "heading", level: 7, text: "x" }, /\/level: .*6/],
    ["a level that is a text", { kind: "heading", level: "1", text: "x" }, /\/level/],
    ["a heading without text", { kind: "heading", level: 1, text: " " }, /\/text/],
    ["a text that is missing", { kind: "paragraph" }, /text/],
    ["a field that it does not have", { kind: "paragraph", text: "x", bold: true }, /bold/],
    [
      "a style that there is none of",
      { kind: "paragraph", text: "x", style: "Fancy" },
      /"Fancy"; there are Normal, Title/,
    ],
    ["a list without items", { kind: "list", ordered: true, items: [] }, /\/items/],
    ["an item that is no text", { kind: "list", ordered: true, items: [1] }, /\/items\/0/],
    ["a table without rows", { kind: "table", header: true, rows: [] }, /\/rows/],
    [
      "rows of different lengths",
      { kind: "table", header: true, rows: [["a", "b"], ["c"]] },
      /row 2 has 1 cells, and row 1 has 2/,
    ],
    ["more columns than Word makes", { kind: "table", header: true, rows: [Array(64).fill("x")] }, /63/],
    ["a control character", { kind: "paragraph", text: "a\u0000b" }, /character that no document can have/],
    ["half a character", { kind: "table", header: true, rows: [["\ud800"]] }, /surrogate/],
    ["a value that is no JSON", { kind: "paragraph", text: () => "x" }, /JSON/],
  ];

  it.each(cases)("are refused: %s", (_, block, reason) => {
    expect(refused(block)).toMatch(/^DOCX_BLOCK_SHAPE: block 1 /);
    expect(refused(block)).toMatch(reason);
  });

  it("are named by their number", () => {
    expect(refused({ kind: "paragraph", text: "x" }, {})).toMatch(/block 2 /);
  });

  it("are refused if they are no list, or none at all", () => {
    for (const blocks of [null, {}, "x", []]) {
      const made = createDocument(blocks);
      expect(made.ok ? "made" : docxMessage(made.error)).toMatch(/blocks are a list with at least one/);
    }
  });

  it("are refused if they are more than a document can be", () => {
    const rows = Array.from({ length: 2000 }, () => Array<string>(60).fill("x"));
    expect(refused({ kind: "table", header: false, rows })).toMatch(/^DOCX_XML_LARGE/);
  });
});
