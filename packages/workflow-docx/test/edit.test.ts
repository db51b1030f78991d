import { describe, expect, it } from "vitest";
import { docxMessage, editDocument, openDocument, outlineOf, saveDocument } from "../src/index.js";
import { documentOf, field, heading, paragraph, run, SECTION, table } from "./support/document.js";

const BOLD = "<w:b/>";

/** The main part after the edits. */
function edited(body: string, ...edits: readonly unknown[]): string {
  const result = editDocument(documentOf(body), edits);
  if (!result.ok) throw new Error(result.error.map(docxMessage).join("\n"));
  const saved = openDocument(saveDocument(result.value));
  if (!saved.ok) throw new Error(docxMessage(saved.error));
  const xml = Buffer.from(saved.value.parts.get("word/document.xml") ?? []).toString();
  return xml.replace(/^[\s\S]*?<w:body>|<\/w:body>.*$/g, "").replaceAll(' xml:space="preserve"', "");
}

function refused(body: string, ...edits: readonly unknown[]): readonly string[] {
  const result = editDocument(documentOf(body), edits);
  return result.ok ? [] : result.error.map((fault) => `${fault.code}: ${docxMessage(fault)}`);
}

const plain = (xml: string): string => xml.replaceAll(' xml:space="preserve"', "");
const sentence = `<w:p>${run("We have ")}${run("three", BOLD)}${run(" apples.")}</w:p>`;

describe("replaceText", () => {
  it("gives the new words the format of those whose place they take", () => {
    const xml = edited(sentence, {
      op: "replaceText",
      block: 1,
      expect: "We have three apples.",
      find: "three",
      text: "four",
    });
    expect(xml).toBe(plain(sentence.replace("three", "four")));
  });

  it("works across runs", () => {
    const xml = edited(sentence, {
      op: "replaceText",
      block: 1,
      expect: "We have…",
      find: "have three apples",
      text: "ate one apple",
    });
    expect(xml).toBe(
      plain(`<w:p>${run("We ate one apple.")}</w:p>`.replace("ate one apple.", "ate one apple.")),
    );
  });

  it("understands **bold**, ends of lines and tabs", () => {
    const xml = edited(paragraph("Hello you"), {
      op: "replaceText",
      block: 1,
      expect: "Hello you",
      find: "you",
      text: "**dear**\n\tall \\*\\*",
    });
    expect(xml).toBe(
      "<w:p><w:r><w:t>Hello </w:t></w:r><w:r><w:rPr><w:b/></w:rPr><w:t>dear</w:t></w:r><w:r><w:br/><w:tab/><w:t>all **</w:t></w:r></w:p>",
    );
  });

  it("is done several times in one block, in any order", () => {
    const edit = (find: string, text: string) => ({
      op: "replaceText",
      block: 1,
      expect: "one two three",
      find,
      text,
    });
    expect(edited(paragraph("one two three"), edit("three", "3"), edit("one", "1"))).toBe(
      plain(paragraph("1 two 3")),
    );
  });

  it("says what stands there when the text is not there, is there twice, or meets another edit", () => {
    const edit = (find: string) => ({
      op: "replaceText",
      block: 1,
      expect: "a cat and a dog",
      find,
      text: "x",
    });
    const body = paragraph("a cat and a dog");
    expect(refused(body, edit("mouse"))).toEqual([
      'DOCX_TEXT_MISSING: edit 1: "mouse" is not in block 1, which says "a cat and a dog"',
    ]);
    expect(refused(body, edit("a "))).toEqual([
      'DOCX_TEXT_TWICE: edit 1: "a " is 2 times in block 1, which says "a cat and a dog"',
    ]);
    expect(refused(body, edit("cat and"), edit("and a"))).toEqual([
      'DOCX_EDIT_CONFLICT: edit 2 and edit 1 change the same text of block 1: "a cat and a dog"',
    ]);
  });

  it("does not go through a field, and works beside it", () => {
    const body = `<w:p>${run("See page ")}${field("PAGEREF x", "7")}${run(" for more")}</w:p>`;
    const edit = { op: "replaceText", block: 1, expect: "See page 7 for more" };
    expect(refused(body, { ...edit, find: "page 7", text: "above" })).toEqual([
      'DOCX_NOT_TEXT: edit 1 would change a field or a formula ("7"), which is part of block 1: "See page 7 for more"',
    ]);
    expect(edited(body, { ...edit, find: " for more", text: "!" })).toBe(
      plain(`<w:p>${run("See page ")}${field("PAGEREF x", "7")}${run("!")}</w:p>`),
    );
  });

  it("keeps a link that it changes words of, and does not enlarge one", () => {
    const link = (text: string) => `<w:hyperlink w:anchor="x">${run(text, "<w:u/>")}</w:hyperlink>`;
    const body = `<w:p>${run("See ")}${link("our page")}${run(" today")}</w:p>`;
    const edit = { op: "replaceText", block: 1, expect: "See our page today" };
    expect(edited(body, { ...edit, find: "our", text: "the" })).toBe(plain(body.replace("our", "the")));
    expect(edited(body, { ...edit, find: " today", text: ", now" })).toBe(
      plain(body.replace(" today", ", now")),
    );
  });
});

describe("setText", () => {
  it("keeps the format of words that stay", () => {
    const xml = edited(sentence, {
      op: "setText",
      block: 1,
      expect: "We have three apples.",
      text: "We had three red apples.",
    });
    expect(xml).toBe(plain(`<w:p>${run("We had ")}${run("three", BOLD)}${run(" red apples.")}</w:p>`));
  });

  it("makes kept words bold", () => {
    expect(
      edited(paragraph("one two"), { op: "setText", block: 1, expect: "one two", text: "one **two**" }),
    ).toBe(plain(`<w:p>${run("one ")}${run("two", BOLD)}</w:p>`));
  });

  it("keeps pictures and references to footnotes where they are", () => {
    const note =
      '<w:r><w:rPr><w:vertAlign w:val="superscript"/></w:rPr><w:footnoteReference w:id="2"/></w:r>';
    const body = `<w:p>${run("Old claim.")}${note}${run(" More.")}</w:p>`;
    const xml = edited(body, {
      op: "setText",
      block: 1,
      expect: "Old claim. More.",
      text: "New claim. More.",
    });
    expect(xml).toBe(plain(body.replace("Old", "New")));
  });

  it("writes into an empty paragraph", () => {
    expect(edited("<w:p/>", { op: "setText", block: 1, expect: "", text: "Hello" })).toBe(
      plain(paragraph("Hello")),
    );
  });

  it("refuses a paragraph with a field or a formula", () => {
    const body = `<w:p>${run("x = ")}<m:oMath><m:r><m:t>2</m:t></m:r></m:oMath></w:p>`;
    expect(refused(body, { op: "setText", block: 1, expect: "x = 2", text: "y" })[0]).toMatch(
      /^DOCX_NOT_TEXT/,
    );
  });
});

describe("blocks", () => {
  it("are inserted in the format of their anchor, one paragraph for each line", () => {
    const anchor = `<w:p><w:pPr><w:jc w:val="both"/></w:pPr>${run("a ", BOLD)}${run("long text", "<w:i/>")}</w:p>`;
    const xml = edited(anchor, { op: "insertAfter", block: 1, expect: "a long text", text: "one\n**two**" });
    const look = '<w:pPr><w:jc w:val="both"/></w:pPr>';
    expect(xml).toBe(
      plain(
        `${anchor}<w:p>${look}${run("one", "<w:i/>")}</w:p><w:p>${look}${run("two", "<w:b/><w:i/>")}</w:p>`,
      ),
    );
  });

  it("are plain text after a heading, unless a style is named", () => {
    const edit = { op: "insertAfter", block: 1, expect: "Costs", text: "Low." };
    expect(edited(heading("Costs"), edit)).toBe(plain(heading("Costs") + paragraph("Low.")));
    expect(edited(heading("Costs"), { ...edit, style: "heading 2" })).toBe(
      plain(heading("Costs") + heading("Low.", 2)),
    );
  });

  it("keep the order in which they are inserted, around a block that goes", () => {
    const edit = (op: string, text: string) => ({ op, block: 1, expect: "x", text });
    const xml = edited(
      paragraph("x"),
      edit("insertAfter", "3"),
      edit("insertBefore", "1"),
      { op: "delete", block: 1, expect: "x" },
      edit("insertBefore", "2"),
      edit("insertAfter", "4"),
    );
    expect(xml).toBe(plain(["1", "2", "3", "4"].map((text) => paragraph(text)).join("")));
  });

  it("are deleted, and numbered as in the document that was given", () => {
    const body = paragraph("a") + table([["t"]]) + paragraph("b") + SECTION;
    const xml = edited(
      body,
      { op: "delete", block: 2, expect: "t" },
      { op: "setText", block: 3, expect: "b", text: "c" },
    );
    expect(xml).toBe(plain(paragraph("a") + paragraph("c") + SECTION));
  });

  it("get a style by its id or its name", () => {
    for (const style of ["Heading2", "heading 2", "HEADING 2"])
      expect(edited(paragraph("x"), { op: "setStyle", block: 1, expect: "x", style })).toBe(
        plain(heading("x", 2)),
      );
  });

  it("leave no empty content control behind", () => {
    const control = `<w:sdt><w:sdtPr/><w:sdtContent>${paragraph("x")}</w:sdtContent></w:sdt>`;
    expect(edited(control + paragraph("y"), { op: "delete", block: 1, expect: "x" })).toBe(
      plain(paragraph("y")),
    );
  });

  it("are not deleted if nothing would be left, or a section or a field would be torn", () => {
    expect(refused(paragraph("x"), { op: "delete", block: 1, expect: "x" })[0]).toMatch(
      /^DOCX_LAST_PARAGRAPH.*"x"/,
    );
    const section = paragraph("x", SECTION) + paragraph("y");
    expect(refused(section, { op: "delete", block: 1, expect: "x" })[0]).toMatch(
      /^DOCX_NOT_TEXT.*end of a section/,
    );
    const begun = `<w:p><w:r><w:fldChar w:fldCharType="begin"/></w:r></w:p>${paragraph("y")}`;
    expect(refused(begun, { op: "delete", block: 1, expect: "" })[0]).toMatch(
      /^DOCX_NOT_TEXT.*another block/,
    );
  });
});

describe("setCell", () => {
  const cells = [
    ["Item", "Price"],
    ["Tea", "3"],
  ];
  const body = `${table(cells)}<w:p/>`;

  it("changes the text of a cell", () => {
    const xml = edited(body, { op: "setCell", block: 1, row: 2, column: 2, expect: "3", text: "4 **EUR**" });
    expect(xml).toBe(
      plain(body).replace(
        "<w:r><w:t>3</w:t></w:r>",
        "<w:r><w:t>4 </w:t></w:r><w:r><w:rPr><w:b/></w:rPr><w:t>EUR</w:t></w:r>",
      ),
    );
  });

  it("adds and removes paragraphs of a cell", () => {
    const two = edited(body, { op: "setCell", block: 1, row: 2, column: 2, expect: "3", text: "3\nor 4" });
    expect(two).toContain(plain(`${paragraph("3")}${paragraph("or 4")}</w:tc>`));
    const back = edited(two, { op: "setCell", block: 1, row: 2, column: 2, expect: "3\nor 4", text: "3" });
    expect(back).toBe(plain(body));
  });

  it("says which cells there are, and what stands in one", () => {
    const edit = { op: "setCell", block: 1, row: 3, column: 1, expect: "", text: "x" };
    expect(refused(body, edit)).toEqual([
      "DOCX_NO_CELL: edit 1: the table of block 1 has no cell in row 3, column 1; its 2 rows have 2 cells",
    ]);
    expect(refused(body, { ...edit, row: 2 })[0]).toBe(
      'DOCX_EXPECT: edit 1: block 1 was expected to say "", and says "Tea"',
    );
    expect(refused(body, { ...edit, block: 2 })[0]).toMatch(
      /^DOCX_BLOCK_KIND: edit 1 is for a table; block 2 is a paragraph/,
    );
  });
});

describe("edits", () => {
  it("are all checked before the first is applied, and everything that is wrong is said", () => {
    const faults = refused(
      paragraph("one") + paragraph("two"),
      { op: "setText", block: 1, expect: "one", text: "1" },
      { op: "setText", block: 2, expect: "three", text: "3" },
      { op: "delete", block: 9, expect: "" },
      { op: "setStyle", block: 2, expect: "two", style: "Nothing" },
    );
    expect(faults).toEqual([
      'DOCX_EXPECT: edit 2: block 2 was expected to say "three", and says "two"',
      "DOCX_NO_BLOCK: edit 3: there is no block 9; the document has blocks 1 to 2",
      'DOCX_NO_STYLE: edit 4: the document has no paragraph style "Nothing"; it has Normal, Heading1, Heading2, Heading3, ListParagraph, Quote',
    ]);
  });

  it("do not care how much white space is expected, and take a beginning", () => {
    for (const wanted of ["a  long\ttext", " a long text ", "a long…", "a lo..."])
      expect(
        refused(paragraph("a long\u00a0text"), { op: "setText", block: 1, expect: wanted, text: "b" }),
      ).toEqual([]);
    expect(refused(paragraph("a"), { op: "setText", block: 1, expect: "b…", text: "b" })).toHaveLength(1);
  });

  it.each([
    ["no list", { op: "delete" }, "edits are a list"],
    ["another operation", [{ op: "remove", block: 1 }], "op is one of replaceText, setText"],
    ["a name of every object", [{ op: "toString", block: 1 }], "op is one of"],
    ["no block", [{ op: "delete", expect: "" }], "block is a whole number from 1"],
    ["half a block", [{ op: "delete", block: 1.5, expect: "" }], "block is a whole number from 1"],
    ["no expectation", [{ op: "delete", block: 1 }], "expect is a text"],
    ["an unknown field", [{ op: "delete", block: 1, expect: "", txt: "" }], 'delete has no field "txt"'],
    ["a number for a text", [{ op: "setText", block: 1, expect: "", text: 7 }], "text is a text"],
    [
      "a control character",
      [{ op: "setText", block: 1, expect: "", text: "\u0000" }],
      "that no document can have",
    ],
    [
      "half a character",
      [{ op: "setText", block: 1, expect: "", text: "\ud83d" }],
      "that no document can have",
    ],
    ["nothing to find", [{ op: "replaceText", block: 1, expect: "", find: "", text: "" }], "find is empty"],
    ["no object", [null], "it is no object"],
  ])("are refused with a reason: %s", (_, edits, reason) => {
    const result = editDocument(documentOf(paragraph("")), edits);
    expect(result.ok ? "" : docxMessage(result.error[0] ?? (undefined as never))).toContain(reason);
  });

  it("leave every other part, and a document without edits, as it was, byte for byte", () => {
    const document = documentOf(paragraph("x"), {
      parts: { "word/odd.xml": "<?xml version='1.0'?>\n<odd  a='1' />" },
    });
    const result = editDocument(document, [{ op: "setText", block: 1, expect: "x", text: "y" }]);
    if (!result.ok) throw new Error();
    for (const [name, content] of document.parts)
      if (name !== "word/document.xml") expect(result.value.parts.get(name)).toBe(content);
    expect(editDocument(document, [])).toEqual({ ok: true, value: document });
  });

  it("do not touch a block with tracked changes", () => {
    const body = `<w:p>${run("a")}<w:ins w:id="1">${run("b")}</w:ins></w:p>`;
    expect(refused(body, { op: "setText", block: 1, expect: "ab", text: "c" })).toEqual([
      'DOCX_TRACKED: edit 1: block 1 has tracked changes: "ab"',
    ]);
    expect(refused(body, { op: "insertAfter", block: 1, expect: "ab", text: "c" })).toEqual([]);
  });

  it("can be made of what they left", () => {
    const document = documentOf(sentence);
    const result = editDocument(document, [
      { op: "setText", block: 1, expect: "We…", text: "A **bold** <&> \u{1f600} text" },
    ]);
    if (!result.ok) throw new Error();
    expect(outlineOf(result.value).blocks[0]?.text).toBe("A bold <&> \u{1f600} text");
  });
});
