/** Scripts that put no spaces between words. */
const UNSPACED =
  "\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Thai}\\p{Script=Lao}\\p{Script=Khmer}\\p{Script=Myanmar}";

const HAS_UNSPACED = new RegExp(`[${UNSPACED}]`, "u");
const WORDS = /[\p{L}\p{N}\p{M}_]+(?:['\u2019][\p{L}]+)*|\s+|[^\p{L}\p{N}\p{M}_\s]/gu;
const CHARACTERS = new RegExp(
  `[${UNSPACED}]\\p{M}*|(?:(?![${UNSPACED}])[\\p{L}\\p{N}\\p{M}_])+|\\s+|[^\\s]`,
  "gu",
);

/**
 * Words, spaces and signs: the pieces in which texts are compared. Joined they are the text again. A character of a
 * script without spaces is a piece of its own.
 */
export function wordsOf(text: string): readonly string[] {
  return text.match(HAS_UNSPACED.test(text) ? CHARACTERS : WORDS) ?? [];
}
