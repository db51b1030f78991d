import { sanitizeTerminal } from "../terminal/index.js";
import { withoutCutEnds, withoutCutStart } from "./cuts.js";
import { createFinder } from "./finder.js";
import { createForms } from "./forms.js";
import { mapStrings } from "./map-strings.js";
import { scan } from "./scan.js";
import { createStream } from "./stream.js";
import type { Form, Matcher, Redactor, Secret } from "./types.js";

const NOTHING: Redactor = {
  text: (text) => text,
  tail: (text) => text,
  uncut: (text) => text,
  value: (value) => value,
  longest: () => 0,
  stream: () => ({ push: (piece) => piece, flush: () => "" }),
};

/**
 * What takes these secrets out of texts, in the forms that texts give them. A secret is also found where terminal
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
  const uncut = (given: string): string => withoutCutStart(given, matcher());
  return {
    text,
    tail: (given) => text(uncut(given)),
    uncut,
    value: (value) => mapStrings(value, text),
    longest: () => matcher().longest,
    stream: () => createStream(matcher),
  };
}

function matcherOf(secrets: readonly Secret[]): Matcher {
  const forms = formsOf(secrets);
  const longest = Math.max(0, ...forms.map(({ text, widest }) => text.length * widest));
  return { forms, finder: createFinder(forms), longest };
}

function cleaned(given: string, matcher: Matcher): string {
  const { finder } = matcher;
  const clean = withoutCutEnds(scan(given, finder, true).clean, matcher);
  const shown = sanitizeTerminal(clean);
  if (shown.length === clean.length) return clean;
  const again = scan(shown, finder, true).clean;
  return again === shown ? clean : again;
}

/** Of two variables with one value the first gives its name. */
function formsOf(secrets: readonly Secret[]): readonly Form[] {
  const make = createForms();
  const forms = new Map<string, Form>();
  for (const { name, value } of secrets) {
    for (const form of value.trim() === "" ? [] : make(name, value)) {
      if (!forms.has(form.text)) forms.set(form.text, form);
    }
  }
  return [...forms.values()];
}
