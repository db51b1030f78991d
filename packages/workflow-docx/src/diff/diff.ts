import type { Result } from "@uncaged/json-schema";
import { type Document, treeOf, withTree } from "../document.js";
import { attempt, type DocxFault, refuse } from "../fault.js";
import { groupsOf } from "../inline.js";
import { blocksOf, bodyOf, type OutlineBlock, outlineBlock, paragraphStyles } from "../outline.js";
import { textOf } from "../text.js";
import { acceptChanges, settle } from "../track.js";
import { attribute, elementsOf, visit, withChildren, type XmlElement } from "../xml.js";
import { importerInto } from "./import.js";
import { type Author, markerFrom } from "./mark.js";
import { type Item, mergeContainer } from "./merge.js";
import { type OtherChange, othersOf } from "./others.js";
import { joinPieces, markedText, type Pairing, type TextPiece } from "./paragraph.js";
import { MOST_MARKED, MOST_WORK } from "./sequence.js";
import { blockKey, listsBetween, type Side, sideOf } from "./side.js";

/** How the second of two documents differs from the first. */
export type Difference = {
  readonly isEqual: boolean;
  /** In the order of the new document. */
  readonly changes: readonly BlockChange[];
  /** Headers, footers, notes and what else differs outside of the text. */
  readonly others: readonly OtherChange[];
  /**
   * The new document with the changes as tracked changes. That accepting all of them gives the new document, and
   * rejecting all the old one, has been checked; where that cannot be, there is none.
   */
  readonly tracked: Result<Document, DocxFault>;
};

/** Compares two documents. Tracked changes that one of them has count as accepted. */
export function diffDocuments(old: Document, now: Document, by: Author): Difference {
  return diffWithin({ work: { left: MOST_WORK }, room: { left: MOST_MARKED } }, old, now, by);
}

/** The same with other bounds. */
export function diffWithin(
  { work, room }: Pick<Pairing, "work" | "room">,
  old: Document,
  now: Document,
  by: Author,
): Difference {
  const [before, after] = [acceptChanges(old), acceptChanges(now)];
  const lists = listsBetween(before, after);
  const sides = { old: sideOf(before, lists), new: sideOf(after, lists) };
  const importer = importerInto(after, before);
  const marker = markerFrom(firstFreeId(after), by);
  const body = bodyOf(after);
  const merged = mergeContainer(bodyOf(before), body, { ...sides, marker, importer, work, room });
  const changes = changesOf(merged.items, before, after);
  const others = othersOf(before, after, work);
  const tracked = attempt(() => {
    if (room.left < 0) refuse("DOCX_UNPROVEN", { reason: "the documents differ in too many elements" });
    const root = treeOf(after, after.main);
    const children = root.children.map((child) =>
      child === body ? withChildren(body, merged.children) : child,
    );
    const result = withTree(importer.finish(), after.main, withChildren(root, children));
    prove(sideOf(result, lists), sides.old, sides.new);
    return result;
  });
  return { isEqual: changes.length === 0 && others.length === 0, changes, others, tracked };
}

/** Numbers of marks differ from those of bookmarks and comments. */
function firstFreeId(document: Document): number {
  let most = 0;
  visit(treeOf(document, document.main), (one) => {
    const written = attribute(one, "w:id");
    const id = written === null ? 0 : Number.parseInt(written, 10);
    if (id > most && id < 1_000_000_000) most = id;
  });
  return most + 1;
}

/** A block that differs. */
export type BlockChange = {
  readonly change: "changed" | "inserted" | "deleted";
  readonly kind: OutlineBlock["kind"];
  /** Its number in the new document, and in the old one; `null`: it is not there. */
  readonly block: number | null;
  readonly oldBlock: number | null;
  /** The heading above it. */
  readonly heading: string | null;
  /**
   * What it says with the changes, `[-Three-]{+Four+} apples`; of a table the rows that changed, of an empty paragraph
   * its end, `¶`.
   */
  readonly text: string;
  /** The same as pieces. */
  readonly pieces: readonly TextPiece[];
  /** The words are the same, and look different. */
  readonly isFormatOnly: boolean;
};

/** What the merge has found, by blocks of the two outlines. */
export function changesOf(items: readonly Item[], old: Document, now: Document): readonly BlockChange[] {
  const [oldBlocks, newBlocks] = [numbers(old), numbers(now)];
  const [oldStyles, newStyles] = [paragraphStyles(old), paragraphStyles(now)];
  let heading: string | null = null;
  return joinTwins(items).flatMap((item): readonly BlockChange[] => {
    const above = heading;
    const after = item.new === null ? null : outlineBlock(item.new, 0, newStyles);
    if (after?.kind === "heading") heading = after.text;
    if (item.kind === "same") return [];
    const block = item.new === null ? null : (newBlocks.get(item.new) ?? null);
    const oldBlock = item.old === null ? null : (oldBlocks.get(item.old) ?? null);
    const before = item.old === null ? null : outlineBlock(item.old, 0, oldStyles);
    const { kind } = after ?? before ?? { kind: "paragraph" as const };
    const isFormatOnly = item.old !== null && item.new !== null && isSaidAgain(item.old, item.new);
    const pieces = item.pieces.length > 0 ? item.pieces : [endOf(item.kind)];
    const text = markedText(pieces);
    return [{ change: item.kind, kind, block, oldBlock, heading: above, text, pieces, isFormatOnly }];
  });
}

/**
 * A paragraph that has another style and says the same is a deletion and an insertion as tracked changes, and one change
 * to a reader. Only within a gap: elsewhere it has moved.
 */
function joinTwins(items: readonly Item[]): readonly Item[] {
  return groupsOf(items, (a, b) => (a.kind === "same") === (b.kind === "same")).flatMap((gap) => {
    if (gap[0]?.kind === "same") return gap;
    const twins = twinsIn(gap);
    const joined = new Set(twins.values());
    return gap
      .filter((item) => !joined.has(item))
      .map((item): Item => {
        const gone = twins.get(item);
        if (gone === undefined || item.new === null) return item;
        const pieces = joinPieces([[{ text: textOf(item.new), change: null }]], "");
        return { kind: "changed", old: gone.old, new: item.new, pieces };
      });
  });
}

/** Insertion → the deletion that says the same, both in their order. */
function twinsIn(gap: readonly Item[]): ReadonlyMap<Item, Item> {
  const come = new Map<string, { readonly places: number[]; next: number }>();
  for (const [at, { kind, new: now }] of gap.entries()) {
    const words = kind === "inserted" ? wordsOf(now) : null;
    if (words === null) continue;
    const known = come.get(words) ?? { places: [], next: 0 };
    known.places.push(at);
    come.set(words, known);
  }
  const twins = new Map<Item, Item>();
  let from = 0;
  for (const gone of gap) {
    const words = gone.kind === "deleted" ? wordsOf(gone.old) : null;
    const known = words === null ? undefined : come.get(words);
    if (known === undefined) continue;
    while ((known.places[known.next] ?? from) < from) known.next++;
    const at = known.places[known.next++];
    if (at === undefined) continue;
    twins.set(gap[at] as Item, gone);
    from = at + 1;
  }
  return twins;
}

/** Of a paragraph that is nothing but words. */
function wordsOf(one: XmlElement | null): string | null {
  return one === null || one.name !== "w:p" || hasObject(one) ? null : textOf(one);
}

/** Whether two blocks have the same words; of pictures and notes nobody knows. */
function isSaidAgain(old: XmlElement, now: XmlElement): boolean {
  return textOf(old) === textOf(now) && !hasObject(old) && !hasObject(now);
}

const OBJECTS = new Set(["w:drawing", "w:pict", "w:object", "w:footnoteReference", "w:endnoteReference"]);

function hasObject(of: XmlElement): boolean {
  return OBJECTS.has(of.name) || of.children.some((child) => typeof child !== "string" && hasObject(child));
}

/** Where there is no text at all, the end of the paragraph. */
function endOf(kind: BlockChange["change"]): TextPiece {
  return { text: "¶", change: kind === "inserted" ? "ins" : kind === "deleted" ? "del" : null };
}

function numbers(document: Document): ReadonlyMap<XmlElement, number> {
  return new Map(blocksOf(bodyOf(document)).map((one, index) => [one, index + 1]));
}

const MARKS = /^w:(bookmark|commentRange|proofErr|perm|sectPr)/;

/**
 * Refuses tracked changes that do not lead from the old document to the new one: accepting all of them has to give the
 * new one, rejecting all the old one. Nothing else of the tracked document has changes than its text.
 */
export function prove(tracked: Side, old: Side, now: Side): void {
  const body = bodyOf(tracked.document);
  assertEqual(settle(body, "new"), tracked, now, "accepted");
  assertEqual(settle(body, "old"), tracked, old, "rejected");
}

function assertEqual(body: XmlElement, found: Side, wanted: Side, how: string): void {
  const [a, b] = [blocksIn(body), blocksIn(bodyOf(wanted.document))];
  for (let at = 0; at < Math.max(a.length, b.length); at++) {
    const [one, other] = [a[at], b[at]];
    if (one !== undefined && other !== undefined && blockKey(one, found) === blockKey(other, wanted))
      continue;
    const text = [other, one].map((block) =>
      block === undefined ? "nothing" : JSON.stringify(textOf(block).slice(0, 80)),
    );
    refuse("DOCX_UNPROVEN", { reason: `${how}, they give ${text[1]} in the place of ${text[0]}` });
  }
}

function blocksIn(body: XmlElement): readonly XmlElement[] {
  return elementsOf(body).filter(({ name }) => !MARKS.test(name));
}
