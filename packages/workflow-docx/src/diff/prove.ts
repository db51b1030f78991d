import { bodyOf } from "../blocks.js";
import { refuse } from "../fault.js";
import { textOf } from "../inline/index.js";
import type { Document } from "../package/index.js";
import { acceptChanges, rejectChanges } from "../track/index.js";
import { elementsOf } from "../xml/index.js";
import { blockKey, type Side } from "./side.js";

const MARKS = /^w:(bookmark|commentRange|proofErr|perm|sectPr)/;

/**
 * Refuses tracked changes that do not lead from the old document to the new one: accepting all of them has to give the
 * new one, rejecting all the old one. `sideLike` gives keys of a document that can be compared with the two sides'.
 */
export function prove(tracked: Document, old: Side, now: Side, sideLike: (document: Document) => Side): void {
  assertEqual(sideLike(acceptChanges(tracked)), now, "accepted");
  assertEqual(sideLike(rejectChanges(tracked)), old, "rejected");
}

function assertEqual(found: Side, wanted: Side, how: string): void {
  const [a, b] = [blocksIn(found), blocksIn(wanted)];
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

function blocksIn({ document }: Side) {
  return elementsOf(bodyOf(document)).filter(({ name }) => !MARKS.test(name));
}
