import { matchEnd, NONE } from "./match.js";
import { markOf } from "./scan.js";
import type { Form, Matcher, Unit } from "./types.js";
import { afterPlain, isSpecial } from "./units.js";

// Texts are cut, and a secret in two: its halves are no form of it any more, and still show it.

/** Of its beginning: `sk-proj-` and the like are known to everybody. */
const HARMLESS_BEGINNING = 8;

/** Where our own messages cut what they quote. */
const CUT = "…";

/** They are short; in a whole reply nothing of ours was cut, and looking at each `…` of 16 MiB takes its time. */
const LONGEST_MESSAGE = 64 * 1024;

/** The rest of a character that was cut, which may be written in several escapes, or of a gap. */
const CUT_CHARACTER =
  /^[\ufffd\udc00-\udfff]{0,3}[\w#{]{0,10}[};]?(?:\\+[uUx]\{?[\da-fA-F]{1,8}\}?|%(?:25){0,2}[\da-fA-F]{2}|&#\w{1,6};){0,3}[\\\s:,-]{0,34}/;

/** The end of a longer text, without the end of a secret that it begins with. */
export function withoutCutStart(text: string, { forms, finder }: Matcher): string {
  const before = CUT_CHARACTER.exec(text)?.[0].length ?? 0;
  let cut = 0;
  for (let at = 0; at <= before; at += 1) {
    // A whole one is none that was cut.
    if (finder.at(text, at).form !== null) break;
    for (const form of forms) cut = Math.max(cut, endOf(text, at, form));
  }
  return text.slice(cut);
}

/** Where the end of a form ends that begins there; 0: there is none. */
function endOf(text: string, at: number, form: Form): number {
  const units = form.units();
  for (let from = 1; from < units.length - form.harmlessEnd; from += 1) {
    const first = units[from];
    if (first === undefined || !mayBegin(first, text, at)) continue;
    const end = matchEnd(form, from, text, at);
    if (end > 0) return end;
  }
  return 0;
}

function mayBegin(unit: Unit, text: string, at: number): boolean {
  return isSpecial(text.charCodeAt(at)) || afterPlain(unit, text, at) !== NONE;
}

/** The text with the secret's mark in the place of its beginning before each `…`. */
export function withoutCutEnds(text: string, matcher: Matcher): string {
  if (text.length > LONGEST_MESSAGE || !text.includes(CUT)) return text;
  const parts = text.split(CUT);
  const last = parts.pop() ?? "";
  return [...parts.map((part) => withoutBeginning(part, matcher)), last].join(CUT);
}

function withoutBeginning(part: string, { finder, longest }: Matcher): string {
  // From the front, so that the longest is found first.
  for (let at = Math.max(0, part.length - longest); at < part.length - HARMLESS_BEGINNING; at += 1) {
    const { open } = finder.at(part, at);
    if (open !== null) return `${part.slice(0, at)}${markOf(open)}`;
  }
  return part;
}
