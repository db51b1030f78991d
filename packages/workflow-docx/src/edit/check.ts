import { rowsOf } from "../blocks.js";
import { refuse } from "../fault.js";
import { isPartOfField, readParagraph, textOf } from "../inline/index.js";
import type { OutlineBlock } from "../outline.js";
import type { ParagraphStyle } from "../styles.js";
import { childOf, elementsOf, visit, type XmlElement } from "../xml/index.js";
import type { Edit, Numbered } from "./types.js";

/** A block with what the outline says of it. */
export type Target = {
  readonly one: XmlElement;
  readonly seen: OutlineBlock;
  /** Its text with single spaces. */
  readonly plain: string;
  readonly isTracked: boolean;
};

export function targetFrom(one: XmlElement, seen: OutlineBlock): Target {
  let isTracked = false;
  visit(one, ({ name }) => {
    isTracked ||= TRACKED.has(name);
  });
  return { one, seen, plain: plain(seen.text), isTracked };
}

function plain(text: string): string {
  return text.replace(/[\s\u00a0]+/g, " ").trim();
}

/** White space counts once, and a text that ends in `…` is a beginning. */
function isExpected(expected: string, found: string): boolean {
  const wanted = plain(expected);
  const [, beginning] = /^(.*\S) ?(?:\u2026|\.\.\.)$/s.exec(wanted) ?? [];
  return wanted === found || (beginning !== undefined && found.startsWith(beginning));
}

const TRACKED = new Set(["w:ins", "w:del", "w:moveFrom", "w:moveTo", "w:pPrChange", "w:rPrChange"]);

/** Everything about one edit that does not depend on the others. Throws `Refused`. */
export function checkEdit(edit: Numbered, target: Target, styles: ReadonlyMap<string, ParagraphStyle>): void {
  const { one, seen } = target;
  const at = { edit: edit.edit, block: edit.block, found: seen.text };
  const found = edit.op === "setCell" ? textOf(cellOf(edit, target)) : seen.text;
  if (!isExpected(edit.expect, edit.op === "setCell" ? plain(found) : target.plain))
    refuse("DOCX_EXPECT", { ...at, expected: edit.expect, found });
  if ("style" in edit && edit.style !== null) styleOf(edit, edit.style, styles);
  if (edit.op === "insertBefore" || edit.op === "insertAfter") return;
  if (target.isTracked) refuse("DOCX_TRACKED", at);
  if (edit.op === "delete") {
    assertRemovable(edit, one, seen);
    return;
  }
  if (edit.op !== "setCell" && one.name !== "w:p")
    refuse("DOCX_BLOCK_KIND", { ...at, wanted: "paragraph", kind: seen.kind });
  if (edit.op === "setText") assertOnlyText(edit, one, seen.text);
  if (edit.op === "setCell") {
    const cell = cellOf(edit, target);
    if (elementsOf(cell).some(({ name }) => !["w:p", "w:tcPr"].includes(name)))
      refuse("DOCX_NOT_TEXT", {
        ...at,
        what: "a table, or something else that is no paragraph, in the cell",
        found,
      });
    for (const paragraph of elementsOf(cell))
      if (paragraph.name === "w:p") assertOnlyText(edit, paragraph, found);
  }
}

function assertRemovable(edit: Numbered, one: XmlElement, { text }: OutlineBlock): void {
  const at = { edit: edit.edit, block: edit.block, found: text };
  const properties = childOf(one, "w:pPr");
  if (properties !== null && childOf(properties, "w:sectPr") !== null)
    refuse("DOCX_NOT_TEXT", { ...at, what: "the end of a section, which is part" });
  if (one.name === "w:p" && isPartOfField(one))
    refuse("DOCX_NOT_TEXT", { ...at, what: "a field that goes on in another block, which is part" });
}

function assertOnlyText(edit: Numbered, paragraph: XmlElement, found: string): void {
  const object = readParagraph(paragraph).find(({ kind, text }) => kind === "object" && text !== "");
  if (object === undefined && !isPartOfField(paragraph)) return;
  const what = `a field or a formula (${JSON.stringify(object?.text ?? "")}), which is part`;
  refuse("DOCX_NOT_TEXT", { edit: edit.edit, block: edit.block, what, found });
}

/** The cell that an edit names. */
export function cellOf(edit: Numbered<Extract<Edit, { op: "setCell" }>>, { one, seen }: Target): XmlElement {
  const { block, row, column } = edit;
  if (seen.rows === null)
    return refuse("DOCX_BLOCK_KIND", {
      edit: edit.edit,
      block,
      wanted: "table",
      kind: seen.kind,
      found: seen.text,
    });
  const cell = rowsOf(one)[row - 1]?.[column - 1];
  const rows = seen.rows.map((cells) => cells.length);
  return cell ?? refuse("DOCX_NO_CELL", { edit: edit.edit, block, row, column, rows });
}

/** The id of a style, which may be named by its id or as a word processor does. */
export function styleOf(edit: Numbered, named: string, styles: ReadonlyMap<string, ParagraphStyle>): string {
  const lower = named.toLowerCase();
  const found =
    styles.get(named) ??
    [...styles.values()].find(({ id, name }) => id.toLowerCase() === lower || name.toLowerCase() === lower);
  if (found !== undefined) return found.id;
  return refuse("DOCX_NO_STYLE", {
    edit: edit.edit,
    block: edit.block,
    style: JSON.stringify(named),
    styles: [...styles.keys()],
  });
}
