import { BULLETS, NUMBERS, WORDPROCESSING } from "./styles.js";

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
