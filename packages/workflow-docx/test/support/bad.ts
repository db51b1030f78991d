import type { DocxCode } from "../../src/index.js";
import { writeZip } from "../../src/zip.js";
import {
  type Extras,
  field,
  fileOf,
  NAMESPACES,
  paragraph,
  partsOf,
  relationship,
  relationships,
} from "./document.js";
import { type RawEntry, rawZip } from "./zip.js";

// Made by the tests and not kept as files: what is wrong with each is one line here.

/** A file that has to be refused, and with which code. */
export type Bad = { readonly name: string; readonly code: DocxCode; readonly bytes: () => Uint8Array };

const W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main";
const HELLO = paragraph("Hello");
const MiB = 1024 * 1024;

function entries(change: (entry: RawEntry) => RawEntry = (entry) => entry): RawEntry[] {
  return [...partsOf(HELLO)].map(([name, content]) => change({ name, content }));
}

function only(name: string, change: Partial<RawEntry>): RawEntry[] {
  return entries((entry) => (entry.name === name ? { ...entry, ...change } : entry));
}

const MAIN = "word/document.xml";
const text = (content: string): Buffer => Buffer.from(content);
const main = (xml: string | Uint8Array): Uint8Array => fileOf("", { parts: { [MAIN]: xml } });
const body = (xml: string): string => `<w:document ${NAMESPACES}><w:body>${xml}</w:body></w:document>`;
const more = (extra: RawEntry): Buffer => rawZip([...entries(), extra]);
const named = (name: string | Buffer): Buffer => more({ name, content: text("<a/>") });
const linked = (target: string): Uint8Array =>
  fileOf(HELLO, { relationships: relationship("rId9", "hyperlink", target, true) });
const external = (kind: string, target: string): Uint8Array =>
  fileOf(HELLO, { relationships: relationship("rId9", kind, target, true) });
const withExtras = (extras: Extras): Uint8Array => fileOf(HELLO, extras);
const sound = (): Buffer => Buffer.from(fileOf(HELLO));

function cfb(stream: string): Buffer {
  const file = Buffer.alloc(4096);
  Buffer.from("d0cf11e0a1b11ae1", "hex").copy(file);
  Buffer.from(stream, "utf16le").copy(file, 1024);
  return file;
}

function bad(name: string, code: DocxCode, bytes: () => Uint8Array): Bad {
  return { name, code, bytes };
}

/** A part whose directory says less than what it holds. */
function lying(): Buffer {
  const content = Buffer.alloc(50 * MiB, "a");
  return rawZip(only(MAIN, { content, size: 1000, ownSize: 1000 }));
}

export const BAD: readonly Bad[] = [
  bad("an empty file", "DOCX_NOT_ZIP", () => new Uint8Array()),
  bad("a text", "DOCX_NOT_ZIP", () => text("Hello, this is no document")),
  bad("two bytes", "DOCX_NOT_ZIP", () => text("PK")),
  bad("a PDF", "DOCX_NOT_ZIP", () => text("%PDF-1.7\n1 0 obj")),
  bad("a zip without anything", "DOCX_NOT_WORD", () => rawZip([])),
  bad("a zip of other files", "DOCX_NOT_WORD", () => rawZip([{ name: "a.txt", content: text("a") }])),
  bad("a workbook", "DOCX_NOT_WORD", () =>
    withExtras({
      parts: {
        "[Content_Types].xml":
          '<Types><Default Extension="xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"/></Types>',
      },
    }),
  ),
  bad("a main part that is no document", "DOCX_NOT_WORD", () => main("<html/>")),
  bad("a main part that is missing", "DOCX_NOT_WORD", () => {
    const parts = partsOf(HELLO);
    parts.delete(MAIN);
    return writeZip(parts);
  }),
  bad("a .doc of the old format", "DOCX_LEGACY", () => cfb("WordDocument")),
  bad("a password, as Word sets it", "DOCX_PASSWORD", () => cfb("EncryptedPackage")),
  bad("a password, as zip programs set it", "DOCX_PASSWORD", () => rawZip(only(MAIN, { flags: 1 }))),
  bad("a file cut off in its directory", "DOCX_TRUNCATED", () => sound().subarray(0, -30)),
  bad("a file cut off in the middle", "DOCX_TRUNCATED", () => sound().subarray(0, sound().length / 2)),
  bad("a file without its last byte", "DOCX_TRUNCATED", () => sound().subarray(0, -1)),
  bad("a file with something behind its end", "DOCX_TRUNCATED", () => Buffer.concat([sound(), text("more")])),
  bad("a file that lacks bytes in its middle", "DOCX_DAMAGED", () =>
    Buffer.concat([sound().subarray(0, 200), sound().subarray(260)]),
  ),
  bad("a file over 32 MiB", "DOCX_TOO_LARGE", () => Buffer.alloc(33 * MiB)),
  bad("5,000 parts", "DOCX_TOO_MANY_PARTS", () =>
    rawZip(Array.from({ length: 5000 }, (_, index) => ({ name: `a/${index}`, content: text("") }))),
  ),
  bad("a part of 200 MiB of nothing", "DOCX_BOMB", () =>
    more({ name: "word/media/a.png", content: Buffer.alloc(200 * MiB) }),
  ),
  bad("a part of XML of 30 MiB of white space", "DOCX_BOMB", () =>
    rawZip(only(MAIN, { content: Buffer.alloc(30 * MiB, " ") })),
  ),
  bad("a part that says 4 GB", "DOCX_BOMB", () =>
    rawZip(only(MAIN, { size: 0xfffffff0, ownSize: 0xfffffff0 })),
  ),
  bad("a hundred parts of 2 MiB of zeros", "DOCX_BOMB", () => {
    const content = Buffer.alloc(2 * MiB);
    return rawZip([
      ...entries(),
      ...Array.from({ length: 100 }, (_, index) => ({ name: `m/${index}.png`, content })),
    ]);
  }),
  bad("a small part packed a thousand times", "DOCX_BOMB", () =>
    more({ name: "word/media/a.png", content: Buffer.alloc(10 * MiB) }),
  ),
  bad("a part longer than it says", "DOCX_SIZE", lying),
  bad("a part shorter than it says", "DOCX_SIZE", () => rawZip(only(MAIN, { size: 5000, ownSize: 5000 }))),
  bad("sizes that differ between header and directory", "DOCX_SIZE", () =>
    rawZip(only(MAIN, { ownSize: 17 })),
  ),
  bad("a stored part of another size", "DOCX_SIZE", () =>
    rawZip(only(MAIN, { stored: true, size: 4, ownSize: 4 })),
  ),
  bad("a wrong checksum", "DOCX_CHECKSUM", () => rawZip(only(MAIN, { crc: 1 }))),
  bad("data that cannot be inflated", "DOCX_DAMAGED", () =>
    rawZip(only(MAIN, { data: text("not deflated!") })),
  ),
  bad("a part that calls itself otherwise", "DOCX_DAMAGED", () =>
    rawZip(only(MAIN, { ownName: "word/other.xml" })),
  ),
  bad("a part packed by an unknown method", "DOCX_ZIP_KIND", () => rawZip(only(MAIN, { method: 12 }))),
  bad("a zip64", "DOCX_ZIP_KIND", () => {
    const file = rawZip(entries());
    file.writeUInt32LE(0xffffffff, file.length - 6);
    return file;
  }),
  bad("a zip in several files", "DOCX_ZIP_KIND", () => {
    const file = rawZip(entries());
    file.writeUInt16LE(1, file.length - 18);
    return file;
  }),
  bad("names that differ in case only", "DOCX_DUPLICATE", () => named("WORD/Document.xml")),
  bad("one name twice", "DOCX_DUPLICATE", () => named(MAIN)),
  bad("a name that leads out", "DOCX_NAME_PARENT", () => named("word/../../evil.xml")),
  bad("a name with a backslash", "DOCX_NAME_BACKSLASH", () => named("word\\..\\evil.xml")),
  bad("an absolute name", "DOCX_NAME_ABSOLUTE", () => named("/etc/evil.xml")),
  bad("a name with a drive", "DOCX_NAME_ABSOLUTE", () => named("C:evil.xml")),
  bad("an empty name", "DOCX_NAME", () => named("")),
  bad("a name with a control character", "DOCX_NAME", () => named("word/a\nb.xml")),
  bad("a name that is not UTF-8", "DOCX_NAME", () => named(Buffer.from([0x61, 0xff, 0x62]))),
  bad("a symbolic link", "DOCX_LINK", () =>
    more({ name: "word/link", content: text("/etc/passwd"), mode: 0xa1ff }),
  ),
  bad("two parts on the same bytes", "DOCX_DAMAGED", () =>
    more({ name: "word/copy.xml", content: text("<a/>"), sharedWith: 2 }),
  ),
  bad("a part inside of another", "DOCX_OVERLAP", () => {
    const inner = rawZip([{ name: "x.xml", content: text("<a/>"), stored: true }]).subarray(0, 30 + 5 + 4);
    const file = rawZip([
      { name: "a.bin", content: inner, stored: true },
      { name: "x.xml", content: text("<a/>"), stored: true, sharedWith: 0 },
    ]);
    const directory = file.readUInt32LE(file.length - 6);
    // The second line's offset: the header inside of the first part's data.
    file.writeUInt32LE(30 + 5, directory + 46 + 5 + 42);
    return file;
  }),
  bad("a document type declaration", "DOCX_XML_DTD", () => main(`<!DOCTYPE a>${body(HELLO)}`)),
  bad("a billion laughs", "DOCX_XML_DTD", () =>
    main(`<!DOCTYPE a [<!ENTITY l "lol"><!ENTITY m "&l;&l;&l;">]>${body(paragraph("x"))}`),
  ),
  bad("a declaration in the styles", "DOCX_XML_DTD", () => withExtras({ styles: "<!DOCTYPE a><w:styles/>" })),
  bad("an entity", "DOCX_XML_ENTITY", () => main(body("<w:p><w:r><w:t>&nbsp;</w:t></w:r></w:p>"))),
  bad("an entity in an attribute", "DOCX_XML_ENTITY", () => main(body('<w:p w:rsidR="&x;"/>'))),
  bad("UTF-16", "DOCX_XML_ENCODING", () => main(Buffer.from(`\ufeff${body(HELLO)}`, "utf16le"))),
  bad("UTF-16 without its mark", "DOCX_XML_ENCODING", () => main(Buffer.from(body(HELLO), "utf16le"))),
  bad("another declared encoding", "DOCX_XML_ENCODING", () =>
    main(`<?xml version="1.0" encoding="ISO-8859-1"?>${body(HELLO)}`),
  ),
  bad("bytes that are not UTF-8", "DOCX_XML_ENCODING", () =>
    main(Buffer.from(body(paragraph("caf\u00e9")), "latin1")),
  ),
  bad("300 elements inside of each other", "DOCX_XML_DEPTH", () =>
    main(body(`${"<w:sdt>".repeat(300)}${"</w:sdt>".repeat(300)}`)),
  ),
  bad("half a million elements", "DOCX_XML_LARGE", () =>
    main(body(`${Array.from({ length: 500_001 }, (_, index) => `<w:p a="${index}"/>`).join("")}`)),
  ),
  bad("an element that is not closed", "DOCX_XML_DAMAGED", () => main(body("<w:p>"))),
  bad("tags that cross", "DOCX_XML_DAMAGED", () => main(body("<w:p><w:r></w:p></w:r>"))),
  bad("an attribute twice", "DOCX_XML_DAMAGED", () => main(body('<w:p a="1" a="2"/>'))),
  bad("a value without quotes", "DOCX_XML_DAMAGED", () => main(body("<w:p a=1/>"))),
  bad("a million attributes of one element", "DOCX_XML_DAMAGED", () =>
    main(body(`<w:p ${Array.from({ length: 1_000_000 }, (_, index) => `a${index}=""`).join(" ")}/>`)),
  ),
  bad("a comment that does not end", "DOCX_XML_DAMAGED", () => main(body("<!-- Hello"))),
  bad("two roots", "DOCX_XML_DAMAGED", () => main(`${body(HELLO)}<w:document/>`)),
  bad("XML that ends early", "DOCX_XML_DAMAGED", () => main(body(HELLO).slice(0, -20))),
  bad("a control character", "DOCX_XML_DAMAGED", () => main(body(paragraph("a\u0001b")))),
  bad("a reference to a control character", "DOCX_XML_DAMAGED", () => main(body("<w:p>&#1;</w:p>"))),
  bad("an empty part", "DOCX_XML_DAMAGED", () => main(new Uint8Array())),
  bad("w: with another meaning", "DOCX_XML_NAMESPACE", () => main(body('<w:p xmlns:w="urn:other"/>'))),
  bad("WordprocessingML by another prefix", "DOCX_XML_NAMESPACE", () =>
    main(body(`<x:p xmlns:x="http://schemas.openxmlformats.org/wordprocessingml/2006/main"/>`)),
  ),
  bad("a prefix of the root with another meaning further down", "DOCX_XML_NAMESPACE", () =>
    main(body('<x:p xmlns:x="urn:other"/>').replace("xmlns:w=", `xmlns:x="${W}" xmlns:w=`)),
  ),
  bad("an attribute twice by two prefixes", "DOCX_XML_DAMAGED", () =>
    main(body('<w:p w:a="1" x:a="2"/>').replace("xmlns:w=", `xmlns:x="${W}" xmlns:w=`)),
  ),
  bad("macros", "DOCX_MACRO", () => withExtras({ parts: { "word/vbaProject.bin": "macro" } })),
  bad("a document of the kind with macros", "DOCX_MACRO", () =>
    withExtras({
      types:
        '<Override PartName="/word/x.xml" ContentType="application/vnd.ms-word.document.macroEnabled.main+xml"/>',
    }),
  ),
  bad("an embedded OLE object", "DOCX_OLE", () =>
    withExtras({ parts: { "word/embeddings/oleObject1.bin": "object" } }),
  ),
  bad("an OLE object by its element", "DOCX_OLE", () =>
    fileOf('<w:p><w:r><w:object><o:OLEObject Type="Embed" ProgID="Package"/></w:object></w:r></w:p>'),
  ),
  bad("an ActiveX control", "DOCX_OLE", () =>
    withExtras({ relationships: relationship("rId9", "control", "activeX/activeX1.xml") }),
  ),
  bad("a field that embeds an object", "DOCX_OLE", () => fileOf(`<w:p>${field("EMBED Package", "x")}</w:p>`)),
  bad("a linked OLE object", "DOCX_OLE", () => external("oleObject", "file:///c:/a.xlsx")),
  bad("a page of HTML as text", "DOCX_FOREIGN", () =>
    withExtras({ relationships: relationship("rId9", "aFChunk", "a.html"), parts: { "word/a.html": "<b>" } }),
  ),
  bad("a DDE field", "DOCX_DDE", () => fileOf(`<w:p>${field('DDEAUTO c:\\\\cmd.exe "/k calc"', "x")}</w:p>`)),
  bad("a simple DDE field", "DOCX_DDE", () =>
    fileOf('<w:p><w:fldSimple w:instr=" dde cmd"><w:r/></w:fldSimple></w:p>'),
  ),
  bad("a DDE field spread over runs", "DOCX_DDE", () =>
    fileOf(`<w:p>${field('DD</w:instrText></w:r><w:r><w:instrText>E cmd "/c calc"', "x")}</w:p>`),
  ),
  bad("a field whose name another field gives", "DOCX_DDE", () =>
    fileOf(
      `<w:p><w:r><w:fldChar w:fldCharType="begin"/></w:r>${field("QUOTE 68 68 69", "DDE")}<w:r><w:fldChar w:fldCharType="end"/></w:r></w:p>`,
    ),
  ),
  bad("a field that includes a file", "DOCX_EXTERNAL", () =>
    fileOf(`<w:p>${field('INCLUDETEXT "c:\\\\secret.txt"', "x")}</w:p>`),
  ),
  bad("a picture from elsewhere", "DOCX_EXTERNAL_IMAGE", () => external("image", "http://127.0.0.1/a.png")),
  bad("a picture from elsewhere in the older format", "DOCX_EXTERNAL_IMAGE", () =>
    fileOf('<w:p><w:r><w:pict><v:imagedata src="http://127.0.0.1/a.png"/></w:pict></w:r></w:p>'),
  ),
  bad("a picture from elsewhere in the older format by another prefix", "DOCX_EXTERNAL_IMAGE", () =>
    main(body("<q:imagedata src='http://127.0.0.1/a.png'/>").replace("xmlns:v=", "xmlns:q=")),
  ),
  bad("a template from elsewhere", "DOCX_EXTERNAL_TEMPLATE", () =>
    withExtras({
      parts: {
        "word/_rels/settings.xml.rels": relationships(
          relationship("rId1", "attachedTemplate", "http://127.0.0.1/a.dotm", true),
        ),
      },
    }),
  ),
  bad("a frame from elsewhere", "DOCX_EXTERNAL", () => external("frame", "http://127.0.0.1/a.html")),
  bad("a javascript: link", "DOCX_LINK_SCRIPT", () => linked("javascript:alert(1)")),
  bad("a javascript: link with white space in it", "DOCX_LINK_SCRIPT", () =>
    linked("java&#9;script:alert(1)"),
  ),
  bad("a javascript: link of a field", "DOCX_LINK_SCRIPT", () =>
    fileOf(`<w:p>${field('HYPERLINK "javascript:alert(1)"', "x")}</w:p>`),
  ),
  bad("a data: link", "DOCX_LINK_SCRIPT", () => linked("data:text/html,x")),
  bad("a file: link", "DOCX_LINK_FILE", () => linked("file:///etc/passwd")),
  bad("a link to a share", "DOCX_LINK_FILE", () => linked("\\\\server\\share\\a.exe")),
  bad("a link to a drive", "DOCX_LINK_FILE", () => linked("c:\\a.exe")),
  bad("a link of a drawing of the older format", "DOCX_LINK_FILE", () =>
    fileOf('<w:p><w:r><w:pict><v:shape href="file:///a"/></w:pict></w:r></w:p>'),
  ),
  bad("a link to a program", "DOCX_LINK_SCHEME", () => linked("ms-msdt:/id PCWDiagnostic")),
];
