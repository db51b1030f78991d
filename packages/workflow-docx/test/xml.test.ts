import { describe, expect, it } from "vitest";
import { parseXml, writeXml, xmlText } from "../src/xml/index.js";

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

  it("is written as UTF-8 with a declaration", () => {
    const bytes = writeXml(parse("<a>\u00e4\ud83d\ude00</a>"));
    expect(Buffer.from(bytes).toString()).toBe(
      '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n<a>\u00e4\ud83d\ude00</a>',
    );
  });
});
