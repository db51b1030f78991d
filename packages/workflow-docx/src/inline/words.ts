/** Words, spaces and signs: the pieces in which texts are compared. Joined they are the text again. */
export function wordsOf(text: string): readonly string[] {
  return text.match(/[\p{L}\p{N}\p{M}_]+(?:['\u2019][\p{L}]+)*|\s+|[^\p{L}\p{N}\p{M}_\s]/gu) ?? [];
}
