import { err, ok, type Result } from "@uncaged/json-schema";
import { type Document, treeOf, withTree } from "../document.js";
import { attempt, type DocxFault, docxFault, refuse } from "../fault.js";
import { type Atom, parseRich, readParagraph } from "../inline.js";
import { blocksOf, bodyOf, outlineBlock, type ParagraphStyle, paragraphStyles } from "../outline.js";
import { withChildren, type XmlElement, type XmlNode } from "../xml.js";
import {
  type Change,
  changeParagraph,
  formatOfParagraph,
  formatOfStyle,
  type Look,
  newParagraph,
  PLAIN,
  setCellText,
  setParagraphText,
  withStyle,
} from "./change.js";
import {
  cellOf,
  checkEdit,
  type Edit,
  type Numbered,
  parseEdits,
  styleOf,
  type Target,
  targetFrom,
} from "./parse.js";

/**
 * The document after all edits (`Edit[]`, from anywhere), or everything that is wrong with them. All are checked before
 * the first is applied. Blocks have the numbers of the outline of `document`.
 */
export function editDocument(document: Document, edits: unknown): Result<Document, readonly DocxFault[]> {
  const parsed = attempt(() => parseEdits(edits));
  if (!parsed.ok) return err([parsed.error]);
  const styles = paragraphStyles(document);
  const blocks = blocksOf(bodyOf(document));
  const faults: DocxFault[] = [];
  const byBlock = new Map<number, Numbered[]>();
  const targets = new Map<number, Target | null>();
  const targetOf = (block: number): Target | null => {
    const [one, known] = [blocks[block - 1], targets.get(block)];
    if (known !== undefined) return known;
    const target = one === undefined ? null : targetFrom(one, outlineBlock(one, block, styles));
    targets.set(block, target);
    return target;
  };
  for (const edit of parsed.value) {
    const { block } = edit;
    const target = targetOf(block);
    if (target === null) {
      faults.push(docxFault("DOCX_NO_BLOCK", { edit: edit.edit, block, blocks: blocks.length }));
      continue;
    }
    const checked = attempt(() => checkEdit(edit, target, styles));
    if (!checked.ok) faults.push(checked.error);
    else byBlock.set(block, [...(byBlock.get(block) ?? []), edit]);
  }
  const replacements = new Map<XmlElement, Replacement>();
  for (const [block, ofBlock] of byBlock) {
    const target = targetOf(block);
    if (target === null) continue;
    const planned = attempt(() => planBlock(ofBlock, target, styles));
    if (planned.ok) replacements.set(target.one, planned.value);
    else faults.push(planned.error);
  }
  if (faults.length === 0) faults.push(...lastParagraph(blocks, replacements, parsed.value));
  if (faults.length > 0) return err(faults);
  if (replacements.size === 0) return ok(document);
  return ok(withTree(document, document.main, replace(treeOf(document, document.main), replacements)));
}

/** A document has at least one paragraph. */
function lastParagraph(
  blocks: readonly XmlElement[],
  replacements: ReadonlyMap<XmlElement, Replacement>,
  edits: readonly Numbered[],
): readonly DocxFault[] {
  const left = blocks.flatMap((one) => replacements.get(one) ?? [one]);
  const last = edits.findLast(({ op }) => op === "delete");
  if (last === undefined || left.some(({ name }) => name === "w:p")) return [];
  return [docxFault("DOCX_LAST_PARAGRAPH", { edit: last.edit, block: last.block, found: last.expect })];
}

function replace(of: XmlElement, replacements: ReadonlyMap<XmlElement, Replacement>): XmlElement {
  const children = of.children.flatMap((child): readonly XmlNode[] => {
    if (typeof child === "string") return [child];
    const replacement = replacements.get(child);
    if (replacement !== undefined) return replacement;
    if (!AROUND.has(child.name)) return [child];
    const replaced = replace(child, replacements);
    // A content control without content is no valid one.
    return child.name === "w:sdt" && isEmptied(child, replaced) ? [] : [replaced];
  });
  return withChildren(of, children);
}

const AROUND = new Set(["w:body", "w:sdt", "w:sdtContent", "w:customXml"]);

function isEmptied(old: XmlElement, replaced: XmlElement): boolean {
  return blocksOf(old).length > 0 && blocksOf(replaced).length === 0;
}

/** What stands in the place of a block. */
type Replacement = readonly XmlElement[];

type Styles = ReadonlyMap<string, ParagraphStyle>;
type Replace = Numbered<Extract<Edit, { op: "replaceText" }>>;
type SetCell = Numbered<Extract<Edit, { op: "setCell" }>>;

/** All edits of one block, which have been checked one by one. Throws `Refused` where they meet. */
function planBlock(edits: readonly Numbered[], target: Target, styles: Styles): Replacement {
  assertNoConflict(edits, target);
  const before = edits.filter(({ op }) => op === "insertBefore");
  const after = edits.filter(({ op }) => op === "insertAfter");
  const kept = edits.some(({ op }) => op === "delete") ? [] : [changed(edits, target, styles)];
  return [
    ...before.flatMap((edit) => inserted(edit, target, styles)),
    ...kept,
    ...after.flatMap((edit) => inserted(edit, target, styles)),
  ];
}

function inserted(edit: Numbered, { one, seen }: Target, styles: Styles): readonly XmlElement[] {
  if (edit.op !== "insertBefore" && edit.op !== "insertAfter") return [];
  const isText = one.name === "w:p" && seen.kind !== "heading";
  const look: Look =
    edit.style !== null
      ? formatOfStyle(styleOf(edit, edit.style, styles))
      : isText
        ? formatOfParagraph(one)
        : PLAIN;
  return edit.text.split("\n").map((line) => newParagraph(line, look));
}

function changed(edits: readonly Numbered[], target: Target, styles: Styles): XmlElement {
  let { one } = target;
  const replacing = edits.filter((edit): edit is Replace => edit.op === "replaceText");
  if (replacing.length > 0) one = changeParagraph(one, changesOf(replacing, target), []);
  const cells = edits.filter((edit): edit is SetCell => edit.op === "setCell");
  const texts = new Map(cells.map((edit) => [cellOf(edit, target), edit.text]));
  if (texts.size > 0) one = withCells(one, texts);
  for (const edit of edits) {
    if (edit.op === "setText") one = setParagraphText(one, edit.text);
    if (edit.op === "setStyle") one = withStyle(one, styleOf(edit, edit.style, styles));
  }
  return one;
}

function withCells(of: XmlElement, texts: ReadonlyMap<XmlElement, string>): XmlElement {
  const text = texts.get(of);
  if (text !== undefined) return setCellText(of, text);
  return {
    ...of,
    children: of.children.map((child) => (typeof child === "string" ? child : withCells(child, texts))),
  };
}

function changesOf(edits: readonly Replace[], target: Target): readonly Change[] {
  const seen = seenIn(target);
  const changes = edits.map((edit) => {
    const { from, to } = placeOf(edit, seen);
    const rich = parseRich(edit.text);
    return { from, to, rich, at: 0, end: rich.text.length };
  });
  return changes.sort((a, b) => a.from - b.from);
}

/** The pieces of a paragraph, their text, and what the outline says of it. */
type Seen = { readonly atoms: readonly Atom[]; readonly text: string; readonly found: string };

function seenIn({ one, seen }: Target): Seen {
  const atoms = readParagraph(one);
  return { atoms, text: atoms.map(({ text }) => text).join(""), found: seen.text };
}

type TextRange = { readonly from: number; readonly to: number };

/** Where the text of an edit stands. Throws `Refused` if it is not there once, or has an object in it. */
function placeOf(edit: Replace, { atoms, text, found }: Seen): TextRange {
  const { block, find } = edit;
  const at = { edit: edit.edit, block, text: find, found };
  const from = text.indexOf(find);
  if (from === -1) refuse("DOCX_TEXT_MISSING", at);
  const times = text.split(find).length - 1;
  if (times > 1 || text.indexOf(find, from + 1) !== -1)
    refuse("DOCX_TEXT_TWICE", { ...at, times: Math.max(times, 2) });
  const to = from + find.length;
  let position = 0;
  for (const atom of atoms) {
    const end = position + atom.text.length;
    if (atom.kind === "object" && end > position && position < to && end > from) {
      const what = `a field or a formula (${JSON.stringify(atom.text)}), which is part`;
      refuse("DOCX_NOT_TEXT", { edit: edit.edit, block, what, found });
    }
    position = end;
  }
  return { from, to };
}

function assertNoConflict(edits: readonly Numbered[], target: Target): void {
  const seen = seenIn(target);
  const places = new Map<Numbered, TextRange>();
  edits.forEach((edit, index) => {
    if (edit.op === "replaceText") places.set(edit, placeOf(edit, seen));
    const other = edits.slice(0, index).find((earlier) => meet(earlier, edit, places));
    if (other === undefined) return;
    refuse("DOCX_EDIT_CONFLICT", {
      edit: edit.edit,
      block: edit.block,
      other: other.edit,
      found: seen.found,
    });
  });
}

function meet(a: Numbered, b: Numbered, places: ReadonlyMap<Numbered, TextRange>): boolean {
  const isInsert = ({ op }: Numbered): boolean => op === "insertBefore" || op === "insertAfter";
  if (isInsert(a) || isInsert(b)) return false;
  if (a.op === "delete" || b.op === "delete") return true;
  if (a.op === "setStyle" || b.op === "setStyle") return a.op === b.op;
  if (a.op === "setCell" && b.op === "setCell") return a.row === b.row && a.column === b.column;
  if (a.op !== "replaceText" || b.op !== "replaceText") return true;
  const [one, two] = [places.get(a), places.get(b)];
  return one !== undefined && two !== undefined && one.from < two.to && two.from < one.to;
}
