import type { Result } from "@uncaged/json-schema";
import { attempt } from "../attempt.js";
import { bodyOf } from "../blocks.js";
import { type DocxFault, refuse } from "../fault.js";
import { type Document, treeOf, withTree } from "../package/index.js";
import { acceptChanges } from "../track/index.js";
import { attribute, visit, withChildren } from "../xml/index.js";
import { type BlockChange, changesOf } from "./changes.js";
import { importerInto } from "./import.js";
import { type Author, markerFrom } from "./mark.js";
import { mergeContainer } from "./merge.js";
import { type OtherChange, othersOf } from "./others.js";
import type { Pairing } from "./paragraph.js";
import { prove } from "./prove.js";
import { listsBetween, sideOf } from "./side.js";
import { MOST_MARKED, MOST_WORK } from "./work.js";

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
