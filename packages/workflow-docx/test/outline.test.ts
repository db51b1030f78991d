import { describe, expect, it } from "vitest";
import { outlineOf } from "../src/index.js";
import { documentOf, field, heading, paragraph, run, SECTION, table } from "./support/document.js";

const texts = (body: string) => outlineOf(documentOf(body)).blocks.map(({ text }) => text);

describe("the outline", () => {
  it("numbers headings, paragraphs, items and tables", () => {
    const item = paragraph("An item", '<w:numPr><w:ilvl w:val="1"/><w:numId w:val="3"/></w:numPr>');
    const body =
      heading("Costs", 2) +
      paragraph("Text") +
      item +
      table([
        ["a", "b"],
        ["c", "d"],
      ]) +
      SECTION;
    expect(outlineOf(documentOf(body)).blocks).toEqual([
      { block: 1, kind: "heading", level: 2, style: "Heading2", text: "Costs", rows: null },
      { block: 2, kind: "paragraph", level: null, style: null, text: "Text", rows: null },
      { block: 3, kind: "item", level: 2, style: null, text: "An item", rows: null },
      {
        block: 4,
        kind: "table",
        level: null,
        style: null,
        text: "a | b\nc | d",
        rows: [
          ["a", "b"],
          ["c", "d"],
        ],
      },
    ]);
  });

  it("lists the styles that a paragraph can have", () => {
    expect(outlineOf(documentOf(paragraph("x"))).styles).toEqual([
      "Normal",
      "Heading1",
      "Heading2",
      "Heading3",
      "ListParagraph",
      "Quote",
    ]);
  });

  it("counts the blocks of content controls with the others", () => {
    const control = `<w:sdt><w:sdtPr/><w:sdtContent>${paragraph("in")}${paragraph("side")}</w:sdtContent></w:sdt>`;
    expect(texts(paragraph("before") + control + paragraph("after"))).toEqual([
      "before",
      "in",
      "side",
      "after",
    ]);
  });

  it("reads tabs and ends of lines, the results of fields, and insertions but no deletions", () => {
    const body = `<w:p>${run("a")}<w:r><w:tab/><w:t>b</w:t><w:br/></w:r>${field("PAGE", "7")}<w:ins w:id="1">${run("new")}</w:ins><w:del w:id="2"><w:r><w:delText>old</w:delText></w:r></w:del></w:p>`;
    expect(texts(body)).toEqual(["a\tb\n7new"]);
  });

  it("separates the paragraphs of a cell", () => {
    const cell = `<w:tbl><w:tr><w:tc>${paragraph("one")}${paragraph("two")}</w:tc></w:tr></w:tbl>`;
    expect(texts(cell + paragraph(""))).toEqual(["one\ntwo", ""]);
  });
});
