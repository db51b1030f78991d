import { blocksOf, bodyOf } from "../blocks.js";
import { type OutlineBlock, outlineBlock } from "../outline.js";
import type { Document } from "../package/index.js";
import { paragraphStyles } from "../styles.js";
import type { XmlElement } from "../xml/index.js";
import type { Item } from "./merge.js";
import { markedText, type TextPiece } from "./words.js";

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
  return items.flatMap((item): readonly BlockChange[] => {
    const block = item.new === null ? null : (newBlocks.get(item.new) ?? null);
    const oldBlock = item.old === null ? null : (oldBlocks.get(item.old) ?? null);
    const after = item.new === null ? null : outlineBlock(item.new, 0, newStyles);
    const above = heading;
    if (after?.kind === "heading") heading = after.text;
    if (item.kind === "same") return [];
    const before = item.old === null ? null : outlineBlock(item.old, 0, oldStyles);
    const { kind } = after ?? before ?? { kind: "paragraph" as const };
    const isFormatOnly = before !== null && after !== null && before.text === after.text;
    const pieces = item.pieces.length > 0 ? item.pieces : [endOf(item.kind)];
    const text = markedText(pieces);
    return [{ change: item.kind, kind, block, oldBlock, heading: above, text, pieces, isFormatOnly }];
  });
}

/** Where there is no text at all, the end of the paragraph. */
function endOf(kind: BlockChange["change"]): TextPiece {
  return { text: "¶", change: kind === "inserted" ? "ins" : kind === "deleted" ? "del" : null };
}

function numbers(document: Document): ReadonlyMap<XmlElement, number> {
  return new Map(blocksOf(bodyOf(document)).map((one, index) => [one, index + 1]));
}
