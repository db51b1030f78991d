// `don't`, `2,800`, `12:30` and `2'800` are one word each; `yes,no` are two and a sign.
const WORD = /[\p{L}\p{N}\p{M}_]+(?:['\u2019]\p{L}+|(?<=\p{N})[.,:'\u2019](?=\p{N})[\p{L}\p{N}\p{M}_]+)*/u;
const PIECE = new RegExp(`${WORD.source}|\\s+|[^\\p{L}\\p{N}\\p{M}_\\s]`, "gu");

/** Words, numbers, spaces and signs: the pieces in which texts are compared. Joined they are the text again. */
export function wordsOf(text: string): readonly string[] {
  return text.match(PIECE) ?? [];
}
