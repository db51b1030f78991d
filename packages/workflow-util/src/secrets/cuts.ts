import type { Matcher } from "./types.js";

// Texts are cut, and a secret in two: its halves are no spelling any more, and still show it.

/** So many characters of a secret's end show nothing. */
const HARMLESS_END = 3;

/** Of its beginning: `sk-proj-` and the like are known to everybody. */
const HARMLESS_BEGINNING = 8;

/** Where our own messages cut what they quote. */
const CUT = "…";

/** They are short; in a whole reply nothing of ours was cut, and looking at each `…` of 16 MiB takes its time. */
const LONGEST_MESSAGE = 64 * 1024;

/** The end of a longer text, without the end of a secret that it begins with. */
export function withoutCutStart(text: string, spellings: readonly string[]): string {
  const cut = Math.max(0, ...spellings.map((spelling) => endOf(text, spelling)));
  return text.slice(cut);
}

/** How many characters at the beginning of the text are the end of a spelling. */
function endOf(text: string, spelling: string): number {
  for (let length = spelling.length - 1; length > HARMLESS_END; length -= 1) {
    if (text.startsWith(spelling.slice(-length))) return length;
  }
  return 0;
}

/** The text with the secret's mark in the place of its beginning before each `…`. */
export function withoutCutEnds(text: string, matcher: Matcher): string {
  if (text.length > LONGEST_MESSAGE || !text.includes(CUT)) return text;
  const parts = text.split(CUT);
  const last = parts.pop() ?? "";
  return [...parts.map((part) => withoutBeginning(part, matcher)), last].join(CUT);
}

function withoutBeginning(part: string, { beginnings, mark }: Matcher): string {
  const found = beginnings.atEndOf(part);
  if (found === null || part.length - found.at <= HARMLESS_BEGINNING) return part;
  return `${part.slice(0, found.at)}${mark(found.spelling)}`;
}
