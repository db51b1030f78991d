import { blocksOf, bodyOf } from "../blocks.js";
import { groupsOf, textOf } from "../inline/index.js";
import { type OutlineBlock, outlineBlock } from "../outline.js";
import type { Document } from "../package/index.js";
import { paragraphStyles } from "../styles.js";
import type { XmlElement } from "../xml/index.js";
import type { Item } from "./merge.js";
import { joinPieces, markedText, type TextPiece } from "./words.js";

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
