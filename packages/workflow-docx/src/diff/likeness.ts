import { textOf, wordsOf } from "../inline/index.js";
import type { XmlElement } from "../xml/index.js";
import { shared } from "./align.js";

const words = new WeakMap<XmlElement, readonly string[]>();

/** The words of an element, at most the first thousand: more do not say better whether two are alike. */
function wordsIn(one: XmlElement): readonly string[] {
  const known = words.get(one);
  if (known !== undefined) return known;
  const found = wordsOf(textOf(one).slice(0, 10_000))
    .filter((word) => /\S/.test(word))
    .slice(0, 1000);
  words.set(one, found);
  return found;
}

/** From 0, no word in common, to 1. */
export function likeWords(a: XmlElement, b: XmlElement): number {
  const [one, two] = [wordsIn(a), wordsIn(b)];
  // Lengths alone say that they cannot be alike.
  if (3 * Math.min(one.length, two.length) < Math.max(one.length, two.length) / 2) return 0;
  return shared(one, two);
}
