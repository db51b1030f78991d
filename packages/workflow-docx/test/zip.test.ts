import { describe, expect, it } from "vitest";
import { openDocument, saveDocument } from "../src/index.js";
import { readZip, writeZip } from "../src/zip.js";
import { documentOf, fileOf, paragraph, partsOf } from "./support/document.js";
import { rawZip } from "./support/zip.js";

describe("a zip of ours", () => {
  it("has the same bytes for the same parts, in whatever order and however packed they came", () => {
    const parts = [...partsOf(paragraph("Hello"))];
    const stored = parts.map(([name, content]) => ({ name, content, stored: true })).reverse();
    const opened = openDocument(rawZip(stored));
    if (!opened.ok) throw new Error(opened.error.code);
    expect(Buffer.from(saveDocument(opened.value))).toEqual(Buffer.from(fileOf(paragraph("Hello"))));
  });

  it("is read back as it was written", () => {
    const parts = new Map([
      ["[Content_Types].xml", Buffer.from("<Types/>")],
      ["empty.bin", Buffer.alloc(0)],
      ["b/\u00e4.bin", Buffer.from("umlaut")],
      ["a.bin", Buffer.alloc(100_000, "x")],
    ]);
    const read = readZip(writeZip(parts));
    expect([...read.keys()]).toEqual(["[Content_Types].xml", "a.bin", "b/\u00e4.bin", "empty.bin"]);
    for (const [name, content] of parts) expect(Buffer.from(read.get(name) ?? [])).toEqual(content);
  });

  it("may have folders, a comment, and sizes that follow the data", () => {
    const content = Buffer.from("<a/>");
    const file = rawZip(
      [
        { name: "word/", content: Buffer.alloc(0), stored: true },
        { name: "word/a.xml", content, flags: 8, ownSize: 0 },
      ],
      "made by a test",
    );
    expect([...readZip(file).keys()]).toEqual(["word/a.xml"]);
  });

  it("is a document that opens", () => {
    expect(documentOf(paragraph("Hello")).main).toBe("word/document.xml");
  });
});
