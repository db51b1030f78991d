import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  type Document,
  docxHint,
  docxMessage,
  fillTemplate,
  openDocument,
  outlineOf,
  saveDocument,
} from "../src/index.js";
import { writeZip } from "../src/zip.js";
import {
  documentOf,
  type Extras,
  NAMESPACES,
  paragraph,
  partsOf,
  relationship,
  run,
  table,
} from "./support/document.js";

type Data = Readonly<Record<string, unknown>>;

async function filled(body: string, data: Data, extras: Extras = {}): Promise<Document> {
  const result = await fillTemplate(documentOf(body, extras), data);
  if (!result.ok) throw new Error(docxMessage(result.error));
  return result.value;
}

/** The texts of the blocks. */
async function said(body: string, data: Data): Promise<readonly string[]> {
  return outlineOf(await filled(body, data)).blocks.map(({ text }) => text);
}

async function refused(body: string, data: Data): Promise<string> {
  const result = await fillTemplate(documentOf(body), data);
  if (result.ok) return "filled";
  expect(docxHint(result.error)).not.toBe("");
  return `${result.error.code}: ${docxMessage(result.error)}`;
}

const xmlOf = (document: Document): string =>
  Buffer.from(document.parts.get("word/document.xml") ?? []).toString();

describe("a template", () => {
  it("gets values in the place of its tags, in whatever runs Word has cut them", async () => {
    expect(await said(paragraph("Dear {name}, {n} times {yes}"), { name: "Ada", n: 2.5, yes: true })).toEqual(
      ["Dear Ada, 2.5 times true"],
    );
    expect(await said(`<w:p>${run("Dear {na")}${run("me}", "<w:b/>")}</w:p>`, { name: "Ada" })).toEqual([
      "Dear Ada",
    ]);
    expect(
      await said(paragraph("{ name } {first name} {größe}"), { name: "a", "first name": "b", größe: "c" }),
    ).toEqual(["a b c"]);
  });

  it("gets values inside of values", async () => {
    expect(await said(paragraph("{customer.city.zip}"), { customer: { city: { zip: 7 } } })).toEqual(["7"]);
  });

  it("keeps the ends of lines of a value", async () => {
    const document = await filled(paragraph("To {address}."), { address: "Ada\r\nRoad 1\nTown" });
    expect(outlineOf(document).blocks[0]?.text).toBe("To Ada\nRoad 1\nTown.");
    expect(xmlOf(document).match(/<w:br\/>/g)).toHaveLength(2);
  });

  it("repeats paragraphs, rows and words for each item of a list", async () => {
    const items = [
      { item: "Tea", price: 3 },
      { item: "Milk", price: 1 },
    ];
    expect(
      await said(paragraph("{#items}") + paragraph("{item} for {who}") + paragraph("{/items}"), {
        items,
        who: "me",
      }),
    ).toEqual(["Tea for me", "Milk for me"]);
    const rows = table([
      ["Item", "Price"],
      ["{#items}{item}", "{price}{/items}"],
    ]);
    expect((await said(rows, { items }))[0]).toBe("Item | Price\nTea | 3\nMilk | 1");
    expect(await said(paragraph("{#items}{item}, {/items}"), { items })).toEqual(["Tea, Milk, "]);
    expect(await said(paragraph("{#names}{.}; {/}"), { names: ["a", "b"] })).toEqual(["a; b; "]);
  });

  it("shows what is between the tags of a condition, or what is between those of its contrary", async () => {
    const body = paragraph("It is {#paid}paid{/paid}{^paid}open{/paid}.");
    for (const paid of [true, "x", 1, {}, [1]]) expect(await said(body, { paid })).toEqual(["It is paid."]);
    for (const paid of [false, null, "", 0, []]) expect(await said(body, { paid })).toEqual(["It is open."]);
  });

  it("takes a value from the innermost loop that has it, also if it is null there", async () => {
    const body = paragraph("{#list}{x}{/list}");
    expect(await said(body, { x: "outer", list: [{ x: "inner" }, {}] })).toEqual(["innerouter"]);
    expect(await said(paragraph("{#list}{#x}outer{/x}{/list}"), { x: true, list: [{ x: null }] })).toEqual([
      "",
    ]);
  });

  it("is filled in its headers too, and every other part stays byte for byte", async () => {
    const extras: Extras = {
      relationships:
        relationship("rId7", "header", "header1.xml") + relationship("rId8", "footer", "footer1.xml"),
      types: ["header", "footer"]
        .map(
          (kind) =>
            `<Override PartName="/word/${kind}1.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.${kind}+xml"/>`,
        )
        .join(""),
      parts: {
        "word/header1.xml": `<w:hdr ${NAMESPACES}>${paragraph("For {name}")}</w:hdr>`,
        "word/footer1.xml": `<!-- as it is --><w:ftr  ${NAMESPACES} >${paragraph("No tag")}</w:ftr>`,
        "word/media/a.png": new Uint8Array([1, 2, 3]),
      },
    };
    const before = documentOf(paragraph("Text"), extras);
    const after = await filled(paragraph("Text"), { name: "Ada" }, extras);
    expect(Buffer.from(after.parts.get("word/header1.xml") ?? []).toString()).toContain("For Ada");
    for (const [name, content] of before.parts)
      if (name !== "word/header1.xml")
        expect(Buffer.from(content).equals(after.parts.get(name) ?? new Uint8Array())).toBe(true);
  });

  it("is given back as it is if it has no tags", async () => {
    const document = documentOf(paragraph("Text"));
    const after = await filled(paragraph("Text"), { name: "Ada" });
    expect(Buffer.from(saveDocument(after)).equals(saveDocument(document))).toBe(true);
  });

  it("is a document afterwards", async () => {
    const parts = partsOf(paragraph("{x}"));
    const types = Buffer.from(parts.get("[Content_Types].xml") ?? []).toString();
    parts.set("[Content_Types].xml", Buffer.from(types.replace("document.main+xml", "template.main+xml")));
    const template = openDocument(writeZip(parts));
    const result = template.ok ? await fillTemplate(template.value, { x: "y" }) : template;
    expect(result.ok && Buffer.from(result.value.parts.get("[Content_Types].xml") ?? []).toString()).toBe(
      types,
    );
  });

  it("has the same bytes whenever it is filled with the same", async () => {
    const fill = () => filled(paragraph("{#a}{.}{/a}"), { a: ["x", "y"] });
    expect(Buffer.from(saveDocument(await fill())).equals(saveDocument(await fill()))).toBe(true);
  });

  it("says the value, whatever that is, and nothing of it is XML", async () => {
    const text = fc
      .array(
        fc.oneof(
          fc.string({ unit: "grapheme" }),
          fc.constantFrom("<w:p/>", "]]>", "&lt;", "{name}", "-->", "\n", "</w:t>"),
        ),
      )
      .map((all) => all.join("").replace(/[\p{Cc}\ufffe\uffff]/gu, (sign) => (sign === "\n" ? sign : "")));
    await fc.assert(
      fc.asyncProperty(text, text, async (one, other) => {
        const texts = await said(paragraph("a {one} b") + paragraph("{#list}{.}{/list}"), {
          one,
          list: [other, other],
        });
        expect(texts).toEqual([`a ${one} b`, `${other}${other}`]);
      }),
      { numRuns: 150, seed: 5 },
    );
  });
});

describe("a template that is not sound", () => {
  const cases: readonly (readonly [string, string, string])[] = [
    ["{name", "DOCX_TEMPLATE_UNCLOSED", '"{name"'],
    ["a name} b", "DOCX_TEMPLATE_UNOPENED", 'name}"'],
    ["{{name}}", "DOCX_TEMPLATE_DOUBLE", "{{name"],
    ["{}", "DOCX_TEMPLATE_KIND", '"{}"'],
    ["{#list}x", "DOCX_TEMPLATE_LOOP_UNCLOSED", "{#list}"],
    ["x{/list}", "DOCX_TEMPLATE_LOOP_UNOPENED", "{/list}"],
    ["{#list}x{/name}", "DOCX_TEMPLATE_LOOP_NAME", "{#list} and ends it with {/name}"],
    ["{#list}{#name}x{/list}{/name}", "DOCX_TEMPLATE_LOOP_NAME", "{#name} and ends it with {/list}"],
    ["{@name}", "DOCX_TEMPLATE_RAW", "{@name}"],
    ["{ @name}", "DOCX_TEMPLATE_KIND", "{ @name}"],
    ["{%picture}", "DOCX_TEMPLATE_KIND", "{%picture}"],
    ["{>part}", "DOCX_TEMPLATE_KIND", "{>part}"],
    ["{-w:p list}x{/list}", "DOCX_TEMPLATE_KIND", "{-w:p list}"],
    ["{=[[ ]]=}[[@name]]", "DOCX_TEMPLATE_KIND", "{=[[ ]]=}"],
    ["{name | upper}", "DOCX_TEMPLATE_KIND", "{name | upper}"],
    ["{list[0]}", "DOCX_TEMPLATE_KIND", "{list[0]}"],
    ["{#unknown}x{/unknown}", "DOCX_TEMPLATE_VALUE", "{unknown}; it has name, list, ada"],
    ["{^unknown}x{/unknown}", "DOCX_TEMPLATE_VALUE", "{unknown}; it has name, list, ada"],
    ["{unknown}", "DOCX_TEMPLATE_VALUE", "{unknown}; it has name, list, ada"],
    ["{#ada}{born}{/ada}", "DOCX_TEMPLATE_VALUE", "{born}; it has name, list, ada, age"],
    ["{ada.born}", "DOCX_TEMPLATE_VALUE", "{ada.born}; it has age"],
    ["{name.length}", "DOCX_TEMPLATE_VALUE", "{name.length}; it has name, list, ada"],
    ["{constructor}", "DOCX_TEMPLATE_VALUE", "{constructor}"],
    ["{list}", "DOCX_TEMPLATE_TEXT", "{list} is a list"],
    ["{ada}", "DOCX_TEMPLATE_TEXT", "{ada} is an object"],
  ];

  it.each(cases)("is refused: %s", async (text, code, words) => {
    const fault = await refused(paragraph(text), { name: "x", list: ["x"], ada: { age: 3 } });
    expect(fault).toMatch(`${code}: `);
    expect(fault).toContain(words);
  });

  it("is refused if a loop begins in a table and ends behind it, or crosses another in a row", async () => {
    const data = { a: ["x"], b: ["y"] };
    expect(await refused(table([["{#a}x"]]) + paragraph("{/a}"), data)).toMatch(
      /^DOCX_TEMPLATE_LOOP_PLACE: {#a}/,
    );
    expect(await refused(table([["{#a}x", "{/a}{#b}y{/b}"]]), data)).toMatch(
      /^DOCX_TEMPLATE_LOOP_PLACE: {#a}/,
    );
  });
});

describe("data that is not sound", () => {
  it.each([
    [{ x: null }, /^DOCX_TEMPLATE_TEXT: the value of {x} is null/],
    [{ x: "a\u0001b" }, /^DOCX_TEMPLATE_CHARACTER: the value of {x}/],
    [{ x: "\ufffe" }, /^DOCX_TEMPLATE_CHARACTER/],
    [{ x: "\ud83d" }, /^DOCX_TEMPLATE_DATA: the data is not JSON at \/x/],
    [{ x: () => "a" }, /^DOCX_TEMPLATE_DATA/],
    [{ x: Number.NaN }, /^DOCX_TEMPLATE_DATA/],
    [{}, /^DOCX_TEMPLATE_VALUE: the data has no value for {x}; there are none/],
  ])("is refused: %o", async (data, fault) => {
    expect(await refused(paragraph("{x}"), data)).toMatch(fault);
  });

  it("is refused before it fills the memory", async () => {
    const many = Array.from({ length: 1000 }, () => 1);
    expect(await refused(paragraph("{#a}{#a}{#a}x{/a}{/a}{/a}"), { a: many })).toMatch(
      /^DOCX_TEMPLATE_LARGE/,
    );
    expect(await refused(paragraph(`{#a}${"x".repeat(100_000)}{/a}`), { a: many })).toMatch(
      /^DOCX_TEMPLATE_LARGE/,
    );
    expect(await refused(paragraph("{#a}{b}{/a}"), { a: many, b: "x".repeat(100_000) })).toMatch(
      /^DOCX_TEMPLATE_LARGE/,
    );
  });

  it("is refused if the document would be damaged by it", async () => {
    const formula = "<w:p><m:oMath><m:r><m:t>{x}</m:t></m:r></m:oMath></w:p>";
    expect(await said(formula, { x: "a < b" })).toEqual(["a < b"]);
    expect(await refused(formula, { x: "two\nlines" })).toMatch(/^DOCX_XML_DAMAGED/);
  });
});
