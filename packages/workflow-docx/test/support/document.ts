import { type Document, openDocument } from "../../src/index.js";
import { writeZip } from "../../src/zip.js";

const W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main";
const R = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
const M = "http://schemas.openxmlformats.org/officeDocument/2006/math";
export const TYPE = R;

/** `xmlns:w`, `xmlns:r` and `xmlns:m`, for the root of a part. */
export const NAMESPACES = `xmlns:w="${W}" xmlns:r="${R}" xmlns:m="${M}" xmlns:v="urn:schemas-microsoft-com:vml" xmlns:o="urn:schemas-microsoft-com:office:office"`;

const STYLES = `<w:styles ${NAMESPACES}>${[
  "Normal",
  "Heading1",
  "Heading2",
  "Heading3",
  "ListParagraph",
  "Quote",
]
  .map((id) => `<w:style w:type="paragraph" w:styleId="${id}"><w:name w:val="${nameOf(id)}"/></w:style>`)
  .join("")}<w:style w:type="table" w:styleId="TableGrid"><w:name w:val="Table Grid"/></w:style></w:styles>`;

function nameOf(id: string): string {
  return id.replace(/^Heading(\d)$/, "heading $1");
}

export type Extras = {
  /** Lines of word/_rels/document.xml.rels besides the styles. */
  readonly relationships?: string;
  /** More parts, by name. */
  readonly parts?: Readonly<Record<string, string | Uint8Array>>;
  /** More lines of [Content_Types].xml. */
  readonly types?: string;
  readonly styles?: string;
};

/** The parts of a document with this body. */
export function partsOf(body: string, extras: Extras = {}): Map<string, Uint8Array> {
  const texts: Record<string, string | Uint8Array> = {
    "[Content_Types].xml": `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Default Extension="png" ContentType="image/png"/><Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/><Override PartName="/word/styles.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.styles+xml"/>${extras.types ?? ""}</Types>`,
    "_rels/.rels": relationships(relationship("rId1", "officeDocument", "word/document.xml")),
    "word/document.xml": `<w:document ${NAMESPACES}><w:body>${body}</w:body></w:document>`,
    "word/styles.xml": extras.styles ?? STYLES,
    "word/_rels/document.xml.rels": relationships(
      relationship("rId1", "styles", "styles.xml") + (extras.relationships ?? ""),
    ),
    ...extras.parts,
  };
  return new Map(
    Object.entries(texts).map(([name, text]) => [name, typeof text === "string" ? Buffer.from(text) : text]),
  );
}

export function relationships(lines: string): string {
  return `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">${lines}</Relationships>`;
}

export function relationship(id: string, kind: string, target: string, external = false): string {
  const mode = external ? ' TargetMode="External"' : "";
  return `<Relationship Id="${id}" Type="${TYPE}/${kind}" Target="${target}"${mode}/>`;
}

export function fileOf(body: string, extras: Extras = {}): Uint8Array {
  return writeZip(partsOf(body, extras));
}

export function documentOf(body: string, extras: Extras = {}): Document {
  const opened = openDocument(fileOf(body, extras));
  if (!opened.ok) throw new Error(JSON.stringify(opened.error));
  return opened.value;
}

/** `<w:p>` with one run of this text. */
export function paragraph(text: string, properties = "", format = ""): string {
  return `<w:p>${properties === "" ? "" : `<w:pPr>${properties}</w:pPr>`}${run(text, format)}</w:p>`;
}

export function run(text: string, format = ""): string {
  const escaped = text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
  return `<w:r>${format === "" ? "" : `<w:rPr>${format}</w:rPr>`}<w:t xml:space="preserve">${escaped}</w:t></w:r>`;
}

export function heading(text: string, level = 1): string {
  return paragraph(text, `<w:pStyle w:val="Heading${level}"/>`);
}

/** A table of texts. */
export function table(rows: readonly (readonly string[])[]): string {
  const cells = (row: readonly string[]): string =>
    row
      .map((text) => `<w:tc><w:tcPr><w:tcW w:w="2000" w:type="dxa"/></w:tcPr>${paragraph(text)}</w:tc>`)
      .join("");
  const grid = (rows[0] ?? []).map(() => '<w:gridCol w:w="2000"/>').join("");
  return `<w:tbl><w:tblPr><w:tblStyle w:val="TableGrid"/></w:tblPr><w:tblGrid>${grid}</w:tblGrid>${rows
    .map((row) => `<w:tr>${cells(row)}</w:tr>`)
    .join("")}</w:tbl>`;
}

/** A complex field: its instruction and its result. */
export function field(instruction: string, result: string): string {
  const mark = (type: string): string => `<w:r><w:fldChar w:fldCharType="${type}"/></w:r>`;
  return `${mark("begin")}<w:r><w:instrText xml:space="preserve">${instruction}</w:instrText></w:r>${mark("separate")}${run(result)}${mark("end")}`;
}

/** The section at the end of a body. */
export const SECTION = '<w:sectPr><w:pgSz w:w="11906" w:h="16838"/></w:sectPr>';
