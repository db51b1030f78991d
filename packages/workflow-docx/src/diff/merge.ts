import { textOf } from "../text.js";
import {
  childOf,
  element,
  elementsOf,
  isElement,
  withChildren,
  type XmlElement,
  type XmlNode,
} from "../xml.js";
import { align, likeWords, type Step, sketchOf } from "./align.js";
import { type ChangeKind, markEnd, markRow, reserve, withOldProperties, withProperties } from "./mark.js";
import {
  allPieces,
  buildParagraph,
  comparePieces,
  joinPieces,
  type Pairing,
  type TextPiece,
  textPieces,
} from "./paragraph.js";
import { blockKey, partKey, propertiesKey } from "./side.js";
import { isSameKind, mergeTable, rowPieces } from "./table.js";

/** A block of the old or the new document with what has happened to it. */
export type Item = {
  readonly kind: Step<XmlElement>["kind"];
  readonly old: XmlElement | null;
  readonly new: XmlElement | null;
  /** Its text with the changes; of a table the rows that changed. None for a block that is the same. */
  readonly pieces: readonly TextPiece[];
};

type Merged = { readonly children: readonly XmlNode[]; readonly items: readonly Item[] };

const BLOCKS = new Set(["w:p", "w:tbl", "w:sdt", "w:customXml", "m:oMathPara", "m:oMath"]);

/** A body, a cell or a content control of the new document with the changes that led to it as tracked changes. */
export function mergeContainer(old: XmlElement, now: XmlElement, sides: Pairing): Merged {
  const isBlock = ({ name }: XmlElement): boolean => BLOCKS.has(name);
  const steps = align(elementsOf(old).filter(isBlock), elementsOf(now).filter(isBlock), {
    keyOf: (one, isOld) => one.name + blockKey(one, isOld ? sides.old : sides.new),
    likeness: (one, other) => likeness(one, other, sides),
    sketchOf,
    work: sides.work,
  });
  reserve(sides.room, steps);
  if (steps.length > MOST_BLOCKS && sides.room.left < 0) return replaced(old, now);
  const merged = placeEnds(steps).map((placed) => ({ placed, ...mergeStep(placed, sides) }));
  // What stands between the blocks of the new document stays before the block that follows it.
  const children: XmlNode[] = [];
  let next = 0;
  const take = (until: XmlNode | null): void => {
    for (let found = false; !found && next < merged.length; next++) {
      const { placed, nodes } = merged[next] as (typeof merged)[number];
      children.push(...nodes);
      found = placed.step.kind !== "deleted" && placed.step.new === until;
    }
  };
  for (const child of now.children) {
    if (!isElement(child)) continue;
    if (isBlock(child)) take(child);
    else {
      // The section comes last.
      if (child.name === "w:sectPr") take(null);
      children.push(child);
    }
  }
  take(null);
  return { children, items: merged.flatMap(({ items }) => items) };
}

/** Blocks of two containers beyond which, where there is no room for marks, they are no blocks of a difference either. */
const MOST_BLOCKS = 100_000;

/** All of a container is one change, which stands at its first block. */
function replaced(old: XmlElement, now: XmlElement): Merged {
  const first = (of: XmlElement): XmlElement | null =>
    elementsOf(of).find(({ name }) => BLOCKS.has(name)) ?? null;
  const at = first(now);
  const texts = [
    { text: textOf(old), change: "del" as const },
    { text: textOf(now), change: "ins" as const },
  ];
  const item = { kind: "changed" as const, old: at === null ? first(old) : null, new: at };
  return { children: now.children, items: [{ ...item, pieces: joinPieces([texts], "") }] };
}

function likeness(old: XmlElement, now: XmlElement, sides: Pairing): number {
  if (old.name !== now.name) return 0;
  if (old.name === "w:p")
    return propertiesKey(old, sides.old) === propertiesKey(now, sides.new)
      ? likeWords(old, now, sides.work)
      : 0;
  if (old.name === "w:tbl") return isSameKind(old, now, sides) ? likeWords(old, now, sides.work) : 0;
  if (old.name !== "w:sdt") return 0;
  // A content control stays, whatever is in it.
  const names = ["w:sdtPr", "w:sdtEndPr"];
  return partKey(old, names, sides.old) === partKey(now, names, sides.new)
    ? 0.5 + likeWords(old, now, sides.work) / 2
    : 0;
}

type MergedStep = { readonly nodes: readonly XmlElement[]; readonly items: readonly Item[] };

function mergeStep({ step, end, last }: Placed, sides: Pairing): MergedStep {
  if (step.kind === "same") {
    const nodes = [end === null ? step.new : markEnd(step.new, end, sides.marker)];
    return { nodes, items: [{ ...step, pieces: [] }] };
  }
  if (step.kind === "changed") return mergeChanged(step.old, step.new, end, sides);
  const kind = step.kind === "deleted" ? "del" : "ins";
  const one = step.kind === "deleted" ? step.old : step.new;
  const item = { kind: step.kind, old: kind === "del" ? one : null, new: kind === "ins" ? one : null };
  const items = [{ ...item, pieces: wholeText(one, kind) }];
  if (sides.room.left < 0) return { nodes: [], items };
  if (one.name !== "w:p") return { nodes: [markAll(one, kind, sides)], items };
  const paragraph = markContentOf(one, kind, sides);
  if (end !== null) return { nodes: [markEnd(paragraph, end, sides.marker)], items };
  return { nodes: [lastParagraph(paragraph, last, sides)], items };
}

function mergeChanged(old: XmlElement, now: XmlElement, end: ChangeKind | null, sides: Pairing): MergedStep {
  const item = { kind: "changed" as const, old, new: now };
  if (now.name === "w:tbl") {
    const { table, pieces } = mergeTable(old, now, sides, {
      merge: (one, other) => {
        const { children, items } = mergeContainer(one, other, sides);
        const texts = items.map(({ pieces: changed, new: same }) =>
          changed.length === 0 && same !== null ? [{ text: textOf(same), change: null }] : changed,
        );
        return { cell: withChildren(other, children), pieces: joinPieces(texts, " ") };
      },
      mark: (one, kind) => markAll(one, kind, sides),
    });
    return { nodes: [table], items: [{ ...item, pieces }] };
  }
  if (now.name === "w:sdt") {
    const content = childOf(now, "w:sdtContent");
    if (content === null) return { nodes: [now], items: [] };
    const { children, items } = mergeContainer(
      childOf(old, "w:sdtContent") ?? withChildren(content, []),
      content,
      sides,
    );
    const nodes = now.children.map((one) => (one === content ? withChildren(content, children) : one));
    return { nodes: [withChildren(now, nodes)], items };
  }
  const pieces = comparePieces(old, now, sides);
  const items = [{ ...item, pieces: textPieces(pieces) }];
  if (sides.room.left < 0) return { nodes: [], items };
  const built = lastParagraph(buildParagraph(now, pieces, sides), { old, new: now }, sides);
  const nodes = [end === null ? built : markEnd(built, end, sides.marker)];
  return { nodes, items };
}

/** The last paragraph keeps its end: that it had other properties is recorded in it. */
function lastParagraph(paragraph: XmlElement, last: Placed["last"], sides: Pairing): XmlElement {
  if (last === null) return paragraph;
  if (propertiesKey(last.old, sides.old) === propertiesKey(last.new, sides.new)) return paragraph;
  const properties = childOf(last.new, "w:pPr") ?? element("w:pPr", [], []);
  const old = childOf(last.old, "w:pPr");
  return withOldProperties(
    withProperties(paragraph, properties),
    old === null ? null : sides.importer.bring(old),
    sides.marker,
  );
}

/** A paragraph all of whose content is inserted or deleted. Its end is somebody else's business. */
function markContentOf(one: XmlElement, kind: ChangeKind, sides: Pairing): XmlElement {
  const properties = childOf(one, "w:pPr");
  const own = properties === null ? [] : [kind === "del" ? sides.importer.bring(properties) : properties];
  // Its own numbers would be there twice.
  const base = { name: one.name, attributes: kind === "del" ? [] : one.attributes, children: own };
  return buildParagraph(base, allPieces(one, kind), sides);
}

/** Everything in a table, a row or a content control, inserted or deleted. */
function markAll(one: XmlElement, kind: ChangeKind, sides: Pairing): XmlElement {
  const paragraphs = elementsOf(one).filter(({ name }) => name === "w:p");
  const last = one.name === "w:tc" ? paragraphs.at(-1) : undefined;
  const children = one.children.map((child): XmlNode => {
    if (!isElement(child)) return child;
    if (child.name === "w:p") {
      const marked = markContentOf(child, kind, sides);
      return child === last ? marked : markEnd(marked, kind, sides.marker);
    }
    if (child.name === "w:tr") return markRow(markAll(child, kind, sides), kind, sides.marker);
    if (HOLDERS.has(child.name)) return markAll(child, kind, sides);
    return kind === "del" ? sides.importer.bring(child) : child;
  });
  return withChildren(one, children);
}

const HOLDERS = new Set(["w:tbl", "w:tc", "w:sdt", "w:sdtContent", "w:customXml"]);

function wholeText(one: XmlElement, kind: ChangeKind): readonly TextPiece[] {
  if (one.name === "w:tbl") {
    const rows = elementsOf(one).filter(({ name }) => name === "w:tr");
    if (rows.length > 0)
      return joinPieces(
        rows.map((row) => rowPieces(row, kind)),
        "\n",
      );
  }
  if (one.name === "w:p") return textPieces(allPieces(one, kind));
  return joinPieces([[{ text: textOf(one), change: kind }]], "");
}

/** A step, and what becomes of the end of its paragraph. */
export type Placed = {
  readonly step: Step<XmlElement>;
  readonly end: ChangeKind | null;
  /** The paragraph whose properties this one takes over from, where it is the last one. */
  readonly last: { readonly old: XmlElement; readonly new: XmlElement } | null;
};

/**
 * The last end of a paragraph of a body or a cell is never inserted or deleted: a word processor could not do it. Where
 * paragraphs are added behind the last one, its end is inserted, and theirs is kept; the same for deletions.
 */
function placeEnds(steps: readonly Step<XmlElement>[]): readonly Placed[] {
  const old = steps.findLast((step) => step.kind !== "inserted");
  const now = steps.findLast((step) => step.kind !== "deleted");
  if (old === undefined || now === undefined || old === now) return steps.map(place);
  const [oldLast, newLast] = [oldOf(old), newOf(now)];
  if (oldLast?.name !== "w:p" || newLast?.name !== "w:p") return steps.map(place);
  const anchor = steps.findLastIndex((step) => step.kind === "same" || step.kind === "changed");
  const tail = steps.slice(anchor + 1);
  const isAll = (kind: Step<XmlElement>["kind"]): boolean =>
    tail.every((step) => step.kind === kind && (oldOf(step) ?? newOf(step))?.name === "w:p");
  const kind =
    steps[anchor] === old && isAll("inserted")
      ? "ins"
      : steps[anchor] === now && isAll("deleted")
        ? "del"
        : null;
  if (kind !== null) {
    return steps.map((step, index): Placed => {
      if (index === steps.length - 1) return { step, end: null, last: { old: oldLast, new: newLast } };
      return index >= anchor ? { step, end: kind, last: null } : place(step);
    });
  }
  const others = steps.flatMap((step): readonly Step<XmlElement>[] => {
    if (step !== old && step !== now) return [step];
    // What they were paired with stands for itself.
    if (step === old) return old.kind === "deleted" ? [] : [{ kind: "inserted", new: old.new }];
    return now.kind === "inserted" ? [] : [{ kind: "deleted", old: now.old }];
  });
  return [...others, { kind: "changed" as const, old: oldLast, new: newLast }].map(place);
}

function place(step: Step<XmlElement>): Placed {
  const end = step.kind === "inserted" ? "ins" : step.kind === "deleted" ? "del" : null;
  return { step, end, last: null };
}

function oldOf(step: Step<XmlElement>): XmlElement | null {
  return step.kind === "inserted" ? null : step.old;
}

function newOf(step: Step<XmlElement>): XmlElement | null {
  return step.kind === "deleted" ? null : step.new;
}
