import type { Matcher, TextStream } from "./types.js";

/** Takes secrets out of a text in pieces: what could be the beginning of one is held back until it is clear. */
export function createStream(matcher: () => Matcher): TextStream {
  let held = "";
  const push = (piece: string): string => {
    if (piece === "") return "";
    const { spellings, pattern, replace } = matcher();
    const text = held + piece;
    const end = beforeMatch(text, pattern, text.length - longestBeginning(text, spellings));
    held = text.slice(end);
    return replace(text.slice(0, end));
  };
  const flush = (): string => {
    const rest = held === "" ? "" : matcher().replace(held);
    held = "";
    return rest;
  };
  return { push, flush };
}

/** How many characters at the end of the text are the beginning of a spelling. */
function longestBeginning(text: string, spellings: readonly string[]): number {
  let longest = 0;
  for (const spelling of spellings) {
    for (let length = Math.min(spelling.length - 1, text.length); length > longest; length -= 1) {
      if (text.endsWith(spelling.slice(0, length))) longest = length;
    }
  }
  return longest;
}

/** The cut, moved to the front of a whole spelling that it would divide. */
function beforeMatch(text: string, pattern: RegExp, cut: number): number {
  for (const match of text.matchAll(pattern)) {
    if (match.index >= cut) break;
    if (match.index + match[0].length > cut) return match.index;
  }
  return cut;
}
