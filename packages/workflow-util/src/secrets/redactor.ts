import { sanitizeTerminal } from "../terminal/index.js";
import { mapStrings } from "./map-strings.js";
import { spellingsOf } from "./spellings.js";
import { createStream } from "./stream.js";
import type { Matcher, Redactor, Secret } from "./types.js";

const NOTHING: Redactor = {
  text: (text) => text,
  tail: (text) => text,
  value: (value) => value,
  longest: () => 0,
  stream: () => ({ push: (piece) => piece, flush: () => "" }),
};

/** So many characters of a secret's end show nothing. */
const HARMLESS = 3;

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
  return {
    text,
    tail: (given) => text(withoutPartialStart(given, matcher().spellings)),
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
  const replace = (text: string): string =>
    text.replace(pattern, (spelling) => `[redacted:${names.get(spelling)}]`);
  return { spellings, pattern, replace };
}

function cleaned(given: string, { pattern, replace }: Matcher): string {
  const clean = replace(given);
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

function withoutPartialStart(text: string, spellings: readonly string[]): string {
  const cut = Math.max(0, ...spellings.map((spelling) => partialStart(text, spelling)));
  return text.slice(cut);
}

/** How many characters at the beginning of the text are the end of a spelling, whose beginning was cut off. */
function partialStart(text: string, spelling: string): number {
  for (let length = spelling.length - 1; length > HARMLESS; length -= 1) {
    if (text.startsWith(spelling.slice(-length))) return length;
  }
  return 0;
}
