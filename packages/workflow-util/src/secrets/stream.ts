import type { Matcher, TextStream } from "./types.js";

/** Takes secrets out of a text in pieces: what could be the beginning of one is held back until it is clear. */
export function createStream(matcher: () => Matcher): TextStream {
  let held = "";
  const push = (piece: string): string => {
    if (piece === "") return "";
    const { beginnings, pattern, replace } = matcher();
    const text = held + piece;
    const end = beforeMatch(text, pattern, beginnings.atEndOf(text)?.at ?? text.length);
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

/** The cut, moved to the front of a whole spelling that it would divide. */
function beforeMatch(text: string, pattern: RegExp, cut: number): number {
  for (const match of text.matchAll(pattern)) {
    if (match.index >= cut) break;
    if (match.index + match[0].length > cut) return match.index;
  }
  return cut;
}
