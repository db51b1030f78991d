import type { Finder, Form } from "./types.js";
import { LONGEST_UNIT } from "./units.js";

/** What is clear by now, without secrets, and what is not. */
type Scanned = { readonly clean: string; readonly rest: string };

/** `isWhole`: the text does not go on. */
export function scan(text: string, finder: Finder, isWhole: boolean): Scanned {
  let clean = "";
  let shown = 0;
  for (let at = finder.next(text, 0, isWhole); at >= 0; ) {
    const { end, form, open } = finder.at(text, at);
    if (!isWhole && (open !== null || isDoubtful(form, text, end)))
      return { clean: clean + text.slice(shown, at), rest: text.slice(at) };
    if (form !== null) {
      clean += text.slice(shown, at) + markOf(form);
      shown = end;
    }
    at = finder.next(text, form === null ? at + 1 : end, isWhole);
  }
  return { clean: shown === 0 ? text : clean + text.slice(shown), rest: "" };
}

/** Its last character may turn out to be the beginning of `&amp;` or `%25`. */
function isDoubtful(form: Form | null, text: string, end: number): boolean {
  return form !== null && text.length - end < LONGEST_UNIT && /[&%]$/.test(form.text);
}

/** What stands in the place of a secret. */
export function markOf({ name }: Form): string {
  return `[redacted:${name}]`;
}
