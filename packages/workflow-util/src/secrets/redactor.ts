import { sanitizeTerminal } from "../terminal/index.js";
import { beginningsOf } from "./beginnings.js";
import { withoutCutEnds, withoutCutStart } from "./cuts.js";
import { mapStrings } from "./map-strings.js";
import { spellingsOf } from "./spellings.js";
import { createStream } from "./stream.js";
import type { Matcher, Redactor, Secret } from "./types.js";

const NOTHING: Redactor = {
  text: (text) => text,
  tail: (text) => text,
  uncut: (text) => text,
  value: (value) => value,
  longest: () => 0,
  stream: () => ({ push: (piece) => piece, flush: () => "" }),
};

/**
 * What takes these secrets out of texts, in the spellings that texts give them. A secret is also found where terminal
 * codes stand in the middle of it: whoever shows the text would take them out.
 *
 * Nothing is prepared before the first text: most steps never come to one.
 */
export function createRedactor(secrets: readonly Secret[]): Redactor {
  if (secrets.every(({ value }) => value.trim() === "")) return NOTHING;
  let kept: Matcher | null = null;
  const matcher = (): Matcher => {
    kept ??= matcherOf(secrets);
    return kept;
  };
  const text = (given: string): string => cleaned(given, matcher());
  const uncut = (given: string): string => withoutCutStart(given, matcher().spellings);
  return {
    text,
    tail: (given) => text(uncut(given)),
    uncut,
    value: (value) => mapStrings(value, text),
    longest: () => matcher().spellings[0]?.length ?? 0,
    stream: () => createStream(matcher),
  };
}

function matcherOf(secrets: readonly Secret[]): Matcher {
  const names = namesBySpelling(secrets);
  // The longest first: a shorter one may be its beginning.
  const spellings = [...names.keys()].sort((a, b) => b.length - a.length);
  const pattern = new RegExp(spellings.map(escaped).join("|"), "g");
  const mark = (spelling: string): string => `[redacted:${names.get(spelling)}]`;
  const beginnings = beginningsOf(spellings);
  return { spellings, pattern, beginnings, mark, replace: (text) => text.replace(pattern, mark) };
}

function cleaned(given: string, matcher: Matcher): string {
  const { pattern, replace } = matcher;
  const clean = withoutCutEnds(replace(given), matcher);
  const shown = sanitizeTerminal(clean);
  return shown.length === clean.length || shown.search(pattern) === -1 ? clean : replace(shown);
}

/** Of two variables with one value the first gives its name. */
function namesBySpelling(secrets: readonly Secret[]): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  for (const { name, value } of secrets) {
    for (const spelling of spellingsOf(value)) if (!names.has(spelling)) names.set(spelling, name);
  }
  return names;
}

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&");
}
