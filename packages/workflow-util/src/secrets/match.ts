import type { Form } from "./types.js";
import { afterPlain, afterUnit, isUnfinished, NONE } from "./units.js";

export { NONE };

/** The text ends before it is clear. */
export const OPEN = -2;

/** Where the form ends that begins there, or `NONE`, or `OPEN`. */
export function matchForm(form: Form, text: string, at: number): number {
  // A secret that looks like an escape (`50%25off`) is not read as one.
  return text.startsWith(form.text, at) ? at + form.text.length : matchUnits(form, 0, text, at);
}

/** The same for the end of a form, from a unit on; a cut may stand in the middle of its escape. */
export function matchEnd(form: Form, from: number, text: string, at: number): number {
  const first = form.units()[from];
  if (first === undefined) return NONE;
  const written = afterUnit(first, text, at);
  const end = written === NONE ? afterPlain(first, text, at) : written;
  return end === NONE ? NONE : matchUnits(form, from + 1, text, afterGap(form, text, end));
}

function matchUnits(form: Form, from: number, text: string, at: number): number {
  const units = form.units();
  let end = at;
  let isDoubtful = false;
  for (let index = from; index < units.length; index += 1) {
    const unit = units[index];
    if (unit === undefined) return NONE;
    const begin = end === at ? end : afterGap(form, text, end);
    if (begin === text.length) return OPEN;
    const next = afterUnit(unit, text, begin);
    // What has been read as a plain `&` may become `&amp;`.
    isDoubtful ||= isUnfinished(unit, text, begin);
    if (next === NONE) return isDoubtful || isUnfinishedGap(form, text, begin) ? OPEN : NONE;
    end = next;
  }
  return end;
}

function afterGap({ gaps }: Form, text: string, at: number): number {
  if (gaps === null || !" \r\n\\%:,-0".includes(text.charAt(at))) return at;
  gaps.lastIndex = at;
  return gaps.test(text) ? gaps.lastIndex : at;
}

function isUnfinishedGap({ gaps }: Form, text: string, at: number): boolean {
  return (
    gaps !== null &&
    text.length - at <= 12 &&
    /^(?:[, 0]+|\r|\\+r?\\*|%(?:0[dD]?%?)?0?)$/.test(text.slice(at))
  );
}
