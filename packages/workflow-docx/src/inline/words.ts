/** Scripts that put no spaces between words. */
const UNSPACED =
  "\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Thai}\\p{Script=Lao}\\p{Script=Khmer}\\p{Script=Myanmar}";

const HAS_UNSPACED = new RegExp(`[${UNSPACED}]`, "u");
// `don't`, `2,800`, `12:30` and `2'800` are one word each; `yes,no` are two and a sign.
const WORD = /[\p{L}\p{N}\p{M}_]+(?:['\u2019]\p{L}+|(?<=\p{N})[.,:'\u2019](?=\p{N})[\p{L}\p{N}\p{M}_]+)*/u;
const WORDS = new RegExp(`${WORD.source}|\\s+|[^\\p{L}\\p{N}\\p{M}_\\s]`, "gu");
const NUMBER = "\\p{N}+(?:[.,:'\\u2019]\\p{N}+)+";
const CHARACTERS = new RegExp(
  `[${UNSPACED}]\\p{M}*|${NUMBER}|(?:(?![${UNSPACED}])[\\p{L}\\p{N}\\p{M}_])+|\\s+|[^\\s]`,
  "gu",
);

/**
 * Words, numbers, spaces and signs: the pieces in which texts are compared. Joined they are the text again. A character
 * of a script without spaces is a piece of its own.
 */
export function wordsOf(text: string): readonly string[] {
  return text.match(HAS_UNSPACED.test(text) ? CHARACTERS : WORDS) ?? [];
}
