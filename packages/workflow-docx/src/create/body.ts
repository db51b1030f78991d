import { buildInline, parseRich, richAtoms } from "../inline.js";
import { element, type XmlElement } from "../xml.js";
import type { NewBlock } from "./parse.js";
import { BULLETS, NUMBERS, WORDPROCESSING } from "./styles.js";

/** A4 with margins of 2.5 cm, in twips. */
const PAGE = { width: 11906, height: 16838, margin: 1417 };
const TEXT_WIDTH = PAGE.width - 2 * PAGE.margin;

/** Letters between which the width of a column follows its longest cell. */
const LETTERS = { least: 6, most: 40 };

type List = Extract<NewBlock, { kind: "list" }>;
type Table = Extract<NewBlock, { kind: "table" }>;

/** The blocks as the body of a document, and how many ordered lists it has. */
export function bodyFrom(blocks: readonly NewBlock[]): {
  readonly body: XmlElement;
  readonly ordered: number;
} {
  let ordered = 0;
  const content = blocks.flatMap((block, index): readonly XmlElement[] => {
    switch (block.kind) {
      case "heading":
        return [paragraph(block.text, `Heading${block.level}`, [])];
      case "paragraph":
        return linesOf(block.text).map((line) => paragraph(line, block.style, []));
      case "list":
        return itemsOf(block, block.ordered ? NUMBERS + ordered++ : BULLETS);
      case "table": {
        // Two tables in a row would be one, and a document ends with a paragraph.
        const next = blocks[index + 1]?.kind;
        const isAlone = next !== undefined && next !== "table";
        return [tableOf(block), ...(isAlone ? [] : [element("w:p", [], [])])];
      }
      default:
        return block satisfies never;
    }
  });
  return { body: element("w:body", [], [...content, section()]), ordered };
}

function value(name: string, val: string | number): XmlElement {
  return element(name, ["w:val", String(val)], []);
}

function paragraph(text: string, style: string | null, properties: readonly XmlElement[]): XmlElement {
  const rich = parseRich(text);
  const atoms = richAtoms(rich, 0, rich.text.length, { format: null, link: null });
  const own = [...(style === null ? [] : [value("w:pStyle", style)]), ...properties];
  return element(
    "w:p",
    [],
    [...(own.length === 0 ? [] : [element("w:pPr", [], own)]), ...buildInline(atoms)],
  );
}

/** Empty lines are how some writers set paragraphs apart. */
function linesOf(text: string): readonly string[] {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  return lines.length === 0 ? [""] : lines;
}

function itemsOf({ ordered, items }: List, list: number): readonly XmlElement[] {
  const numbering = element("w:numPr", [], [value("w:ilvl", 0), value("w:numId", list)]);
  return items.map((item) => paragraph(item, ordered ? "ListNumber" : "ListBullet", [numbering]));
}

function tableOf({ header, rows }: Table): XmlElement {
  const widths = widthsOf(rows);
  const look = element(
    "w:tblLook",
    [
      ...["w:val", header ? "0420" : "0400", "w:firstRow", header ? "1" : "0", "w:lastRow", "0"],
      ...["w:firstColumn", "0", "w:lastColumn", "0", "w:noHBand", "1", "w:noVBand", "1"],
    ],
    [],
  );
  const properties = element(
    "w:tblPr",
    [],
    [value("w:tblStyle", "TableGrid"), width("w:tblW", TEXT_WIDTH), look],
  );
  const grid = widths.map((one) => element("w:gridCol", ["w:w", String(one)], []));
  const lines = rows.map((row, index) => {
    const isHeader = header && index === 0;
    const own = element(
      "w:trPr",
      [],
      [element("w:cantSplit", [], []), ...(isHeader ? [element("w:tblHeader", [], [])] : [])],
    );
    return element("w:tr", [], [own, ...row.map((text, at) => cellOf(text, widths[at] ?? 0))]);
  });
  return element("w:tbl", [], [properties, element("w:tblGrid", [], grid), ...lines]);
}

function width(name: string, twips: number): XmlElement {
  return element(name, ["w:w", String(twips), "w:type", "dxa"], []);
}

function cellOf(text: string, twips: number): XmlElement {
  const lines = linesOf(text).map((line) => paragraph(line, "TableText", []));
  return element("w:tc", [], [element("w:tcPr", [], [width("w:tcW", twips)]), ...lines]);
}

/** By the longest cell of each column, together the width of the text. */
function widthsOf(rows: readonly (readonly string[])[]): readonly number[] {
  const letters = (rows[0] ?? []).map((_, column) => {
    const lengths = rows.flatMap((row) => linesOf(row[column] ?? "").map((line) => line.length));
    return Math.min(
      lengths.reduce((most, one) => Math.max(most, one), LETTERS.least),
      LETTERS.most,
    );
  });
  const all = letters.reduce((sum, one) => sum + one, 0);
  return letters.map((one) => Math.floor((one / all) * TEXT_WIDTH));
}

function section(): XmlElement {
  const { width: wide, height, margin } = PAGE;
  const sides = ["top", "right", "bottom", "left"].flatMap((side) => [`w:${side}`, String(margin)]);
  return element(
    "w:sectPr",
    [],
    [
      element("w:pgSz", ["w:w", String(wide), "w:h", String(height)], []),
      element("w:pgMar", [...sides, "w:header", "709", "w:footer", "709", "w:gutter", "0"], []),
    ],
  );
}

const LEVELS = [0, 1, 2, 3, 4, 5, 6, 7, 8];
const SIGNS = ["\u2022", "\u2013", "\u25aa"];
const FORMATS = ["decimal", "lowerLetter", "lowerRoman"];

/** Twips by which the text of a level is to the right of the one above. */
const INDENT = 400;

function level(depth: number, format: string, text: string): string {
  const left = INDENT * (depth + 1);
  return (
    `<w:lvl w:ilvl="${depth}"><w:start w:val="1"/><w:numFmt w:val="${format}"/><w:lvlText w:val="${text}"/><w:lvlJc w:val="left"/>` +
    `<w:pPr><w:ind w:left="${left}" w:hanging="${INDENT}"/></w:pPr></w:lvl>`
  );
}

function abstract(id: number, style: string, levels: readonly string[]): string {
  // The style belongs to the first level.
  const first = levels[0]?.replace("<w:lvlText", `<w:pStyle w:val="${style}"/><w:lvlText`) ?? "";
  return `<w:abstractNum w:abstractNumId="${id}"><w:multiLevelType w:val="multilevel"/>${first}${levels.slice(1).join("")}</w:abstractNum>`;
}

const DEFINITIONS = [
  abstract(
    BULLETS,
    "ListBullet",
    LEVELS.map((depth) => level(depth, "bullet", SIGNS[depth % SIGNS.length] ?? "")),
  ),
  abstract(
    NUMBERS,
    "ListNumber",
    LEVELS.map((depth) => level(depth, FORMATS[depth % FORMATS.length] ?? "", `%${depth + 1}.`)),
  ),
].join("");

/** The lists of a document with this number of ordered ones: `BULLETS`, and from `NUMBERS` on one for each. */
export function numberingXml(ordered: number): string {
  const lists = Array.from({ length: Math.max(ordered, 1) }, (_, index) => {
    const restart = '<w:lvlOverride w:ilvl="0"><w:startOverride w:val="1"/></w:lvlOverride>';
    return `<w:num w:numId="${NUMBERS + index}"><w:abstractNumId w:val="${NUMBERS}"/>${index === 0 ? "" : restart}</w:num>`;
  });
  return `<w:numbering xmlns:w="${WORDPROCESSING}">${DEFINITIONS}<w:num w:numId="${BULLETS}"><w:abstractNumId w:val="${BULLETS}"/></w:num>${lists.join("")}</w:numbering>`;
}
