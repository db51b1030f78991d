import { bodyOf } from "../blocks.js";
import { refuse } from "../fault.js";
import { textOf } from "../inline/index.js";
import { settle } from "../track/index.js";
import { elementsOf, type XmlElement } from "../xml/index.js";
import { blockKey, type Side } from "./side.js";

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
