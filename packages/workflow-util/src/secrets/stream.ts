import { scan } from "./scan.js";
import type { Matcher, TextStream } from "./types.js";

/** Takes secrets out of a text in pieces: what could be the beginning of one is held back until it is clear. */
export function createStream(matcher: () => Matcher): TextStream {
  let held = "";
  const push = (piece: string): string => {
    if (piece === "") return "";
    const { clean, rest } = scan(held + piece, matcher().finder, false);
    held = rest;
    return clean;
  };
  const flush = (): string => {
    const { clean } = held === "" ? { clean: "" } : scan(held, matcher().finder, true);
    held = "";
    return clean;
  };
  return { push, flush };
}
