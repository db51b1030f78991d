import { describe, expect, it } from "vitest";
import { parseXml } from "../src/parse-xml.js";
import { writeXml, xmlText } from "../src/xml.js";

const parse = (text: string) => parseXml(Buffer.from(text), "a.xml");

describe("XML", () => {
  it.each([
    ["texts", "<a>one<b/>two</a>"],
    ["characters with a meaning", '<a b="&lt;&quot;&amp;&#10;">&lt;&amp;&gt;</a>'],
    ["attributes in their order", '<w:a z="1" a="2" xml:space="preserve"/>'],
    ["what is not known", '<x:unknown y:strange="1"><!--c--></x:unknown>'.replace("<!--c-->", "<z/>")],
    ["white space", "<a> <b/>\n</a>"],
  ])("keeps %s", (_, text) => {
    expect(xmlText(parse(text))).toBe(text);
  });

  it("gives names their usual prefix, where the root has another one for it", () => {
    const w = "http://schemas.openxmlformats.org/wordprocessingml/2006/main";
    expect(
      xmlText(parse(`<ns0:a xmlns:ns0="${w}" xmlns:b="urn:b" ns0:c="1" b:c="2"><ns0:d/><b:d/></ns0:a>`)),
    ).toBe(`<w:a xmlns:w="${w}" xmlns:b="urn:b" w:c="1" b:c="2"><w:d/><b:d/></w:a>`);
    expect(xmlText(parse(`<w:a xmlns:w="${w}" xmlns:x="${w}"><x:b/></w:a>`))).toBe(
      `<w:a xmlns:w="${w}"><w:b/></w:a>`,
    );
  });

  it("reads references, CDATA and both kinds of quotes", () => {
    expect(xmlText(parse("<a b='it is \"x\"'>&#x41;&#66;<![CDATA[<&]]></a>"))).toBe(
      '<a b="it is &quot;x&quot;">AB&lt;&amp;</a>',
    );
  });

  it("leaves comments and instructions out, and reads every end of a line as one character", () => {
    expect(
      xmlText(parse("\ufeff<?xml version='1.0'?><?x y?><!-- a --><a>1\r\n2\r3<!-- b > c --></a>\n")),
    ).toBe("<a>1\n2\n3</a>");
  });

  it("has the usual prefix where the root element has another one", () => {
    const W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main";
    expect(xmlText(parse(`<n:a xmlns:n="${W}" n:b="1"><n:c n:d="2"/><n:e>x</n:e></n:a>`))).toBe(
      `<w:a xmlns:w="${W}" w:b="1"><w:c w:d="2"/><w:e>x</w:e></w:a>`,
    );
    expect(xmlText(parse(`<w:a xmlns:n="${W}" xmlns:w="${W}"><n:c/></w:a>`))).toBe(
      `<w:a xmlns:w="${W}"><w:c/></w:a>`,
    );
    expect(() => parse(`<n:a xmlns:n="${W}"><n:b xmlns:n="urn:x"/></n:a>`)).toThrow(/prefix n/);
    expect(() => parse(`<n:a xmlns:n="${W}"><w:b n:c="" w:c=""/></n:a>`)).toThrow(/twice/);
    expect(() => parse(`<n:a xmlns:n="${W}"></w:b></n:a>`)).toThrow(/closes nothing/);
  });

  it("is written as UTF-8 with a declaration", () => {
    const bytes = writeXml(parse("<a>\u00e4\ud83d\ude00</a>"));
    expect(Buffer.from(bytes).toString()).toBe(
      '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n<a>\u00e4\ud83d\ude00</a>',
    );
  });
});
