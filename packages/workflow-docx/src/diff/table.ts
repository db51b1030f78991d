import { textOf } from "../text.js";
import { childrenOf, elementsOf, withChildren, type XmlElement } from "../xml.js";
import { align, likeWords, sketchOf } from "./align.js";
import { type ChangeKind, markRow, reserve } from "./mark.js";
import { joinPieces, type Pairing, type TextPiece } from "./paragraph.js";
import { blockKey, kept, partKey, type Side } from "./side.js";

/** A cell with its changes, and its text with them. */
type MergedCell = { readonly cell: XmlElement; readonly pieces: readonly TextPiece[] };

export type Cells = {
  readonly merge: (old: XmlElement, now: XmlElement) => MergedCell;
  /** Everything in an element, inserted or deleted. */
  readonly mark: (one: XmlElement, kind: ChangeKind) => XmlElement;
};

const MARKS = /^w:(bookmark|commentRange|proofErr|perm)/;

/** Whether all rows and cells stand where they usually do, and not in content controls. */
function isPlainTable(table: XmlElement): boolean {
  const known = plain.get(table) ?? isPlain(table);
  plain.set(table, known);
  return known;
}

const plain = new WeakMap<XmlElement, boolean>();

function isPlain(table: XmlElement): boolean {
  const isOnly = (of: XmlElement, names: readonly string[]): boolean =>
    elementsOf(of).every(({ name }) => names.includes(name) || MARKS.test(name));
  return (
    isOnly(table, ["w:tblPr", "w:tblGrid", "w:tr"]) &&
    childrenOf(table, "w:tr").every((row) => isOnly(row, ["w:trPr", "w:tblPrEx", "w:tc"]))
  );
}

/** Whether one table can become the other by changes of rows and cells. */
export function isSameKind(old: XmlElement, now: XmlElement, sides: Pairing): boolean {
  const key = (table: XmlElement, side: Side): string => partKey(table, ["w:tblPr", "w:tblGrid"], side);
  return isPlainTable(old) && isPlainTable(now) && key(old, sides.old) === key(now, sides.new);
}

/** The new table with the changes of its rows, and the text of those that changed. */
export function mergeTable(
  old: XmlElement,
  now: XmlElement,
  sides: Pairing,
  cells: Cells,
): { readonly table: XmlElement; readonly pieces: readonly TextPiece[] } {
  const steps = align(childrenOf(old, "w:tr"), childrenOf(now, "w:tr"), {
    keyOf: (row, isOld) => blockKey(row, isOld ? sides.old : sides.new),
    likeness: (one, other) => (isSameRow(one, other, sides) ? likeWords(one, other, sides.work) : 0),
    sketchOf,
    work: sides.work,
  });
  reserve(sides.room, steps);
  const lines: (readonly TextPiece[])[] = [];
  const rows = steps.map((step) => {
    if (step.kind === "same") return step.new;
    if (step.kind === "changed") {
      const others = childrenOf(step.old, "w:tc");
      const merged = childrenOf(step.new, "w:tc").map((cell, index) =>
        cells.merge(others[index] ?? cell, cell),
      );
      lines.push(
        joinPieces(
          merged.map(({ pieces }) => pieces),
          " | ",
        ),
      );
      let index = 0;
      return withChildren(
        step.new,
        step.new.children.map((child) =>
          typeof child !== "string" && child.name === "w:tc" ? (merged[index++]?.cell ?? child) : child,
        ),
      );
    }
    const [row, kind] = step.kind === "deleted" ? ([step.old, "del"] as const) : ([step.new, "ins"] as const);
    lines.push(rowPieces(row, kind));
    return sides.room.left < 0 ? row : markRow(cells.mark(row, kind), kind, sides.marker);
  });
  const others = now.children.filter((child) => typeof child !== "string" && child.name !== "w:tr");
  return { table: withChildren(now, [...others, ...rows]), pieces: joinPieces(lines, "\n") };
}

export function rowPieces(row: XmlElement, kind: ChangeKind): readonly TextPiece[] {
  const cells = childrenOf(row, "w:tc").map((cell) => [{ text: textOf(cell), change: kind }]);
  return joinPieces(cells, " | ");
}

function isSameRow(old: XmlElement, now: XmlElement, sides: Pairing): boolean {
  const key = (row: XmlElement, side: Side): string =>
    kept(side.properties, row, () =>
      [
        partKey(row, ["w:trPr", "w:tblPrEx"], side),
        ...childrenOf(row, "w:tc").map((cell) => partKey(cell, ["w:tcPr"], side)),
      ].join("\n"),
    );
  return key(old, sides.old) === key(now, sides.new);
}
