import type { Finder, Form, Found, Unit } from "./types.js";
import {
  afterPlain,
  afterUnit,
  isSpecial,
  isUnfinished,
  LONGEST_UNIT,
  NONE,
  SPECIAL,
  writtenSource,
} from "./units.js";

export { NONE };

/** The text ends before it is clear. */
const OPEN = -2;

/** Where the form ends that begins there, or `NONE`, or `OPEN`. */
function matchForm(form: Form, text: string, at: number): number {
  // A secret that looks like an escape (`50%25off`) is not read as one.
  return text.startsWith(form.text, at) ? at + form.text.length : matchUnits(form, 0, text, at);
}

/** The same for the end of a form, from a unit on; the text may start in the middle of its escape. */
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

const GAP_STARTS = " \r\n\\%:,-0";

function afterGap({ gaps }: Form, text: string, at: number): number {
  if (gaps === null || !GAP_STARTS.includes(text.charAt(at))) return at;
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

/** Finds forms in a text: first where one may begin, then by trying those that may. */
export function createFinder(forms: readonly Form[]): Finder {
  const byFirst = groupByFirst(forms);
  const nextStart = createStarts(forms);
  const candidates = (text: string, at: number): readonly Form[] =>
    isSpecial(text.charCodeAt(at)) ? forms : (byFirst.get(text.charAt(at)) ?? []);
  const next: Finder["next"] = (text, from, isWhole) => {
    // If the text may continue, a form that its end cuts off counts too.
    const tail = isWhole ? text.length : Math.max(from, text.length - LONGEST_UNIT);
    const at = nextStart(text, from);
    if (isWhole || (at !== NONE && at < tail)) return at;
    for (let each = tail; each < text.length; each += 1) if (candidates(text, each).length > 0) return each;
    return NONE;
  };
  return { next, at: (text, at) => foundAmong(candidates(text, at), text, at) };
}

/** The longest one: a shorter one may be its beginning. */
function foundAmong(forms: readonly Form[], text: string, at: number): Found {
  let [end, found, open]: [number, Form | null, Form | null] = [NONE, null, null];
  for (const form of forms) {
    const after = matchForm(form, text, at);
    if (after === OPEN) open ??= form;
    else if (after > end) {
      end = after;
      found = form;
    }
  }
  return { end, form: found, open };
}

function groupByFirst(forms: readonly Form[]): ReadonlyMap<string, readonly Form[]> {
  const groups = new Map<string, Form[]>();
  for (const form of forms) {
    for (const first of new Set(plainOf(form.head[0]).map((each) => each.charAt(0)))) {
      groups.set(first, [...(groups.get(first) ?? []), form]);
    }
  }
  return groups;
}

/** The plain form of a unit. */
function plainOf(unit: Unit | undefined): readonly string[] {
  return unit === undefined || unit.backslashes > 0 ? [] : unit.plain;
}

/**
 * Returns the next place where a form may begin: by its first two characters, or, at an escape, by a pattern. (One pattern for
 * both took 20 ms to compile for six secrets, which every process paid that looks at a text.)
 */
function createStarts(forms: readonly Form[]): (text: string, from: number) => number {
  const units = [...new Set(forms.flatMap(({ head }) => head.slice(0, 1)))];
  const plain = [...new Set(units.flatMap(plainOf))];
  const quoted = units.filter(({ backslashes }) => backslashes > 0);
  const behind = [...ESCAPES, ...plain.filter(isEscapable), ...quoted.flatMap((unit) => unit.plain)].join("");
  const sources = quoted.map((unit) => writtenSource(unit.plain, unit.backslashes));
  const written = new RegExp([...sources, writtenSource(plain, 0)].join("|"), "y");
  const begins = createBeginnings(forms);
  return (text, from) => {
    for (let begin = from; begin < text.length; begin += 1) {
      const code = text.charCodeAt(begin);
      if (!isSpecial(code)) {
        if (begins(code, text.charCodeAt(begin + 1))) return begin;
        continue;
      }
      const end = endOfRun(text, begin);
      if (end === begin || behind.includes(text.charAt(end))) {
        // Of many backslashes in a row the last ones count: no secret is quoted that many times.
        begin = Math.max(begin, end - LONGEST_UNIT);
        written.lastIndex = begin;
        if (written.test(text)) return begin;
      } else begin = end - 1;
    }
    return NONE;
  };
}

const ASCII = 128;

/** Whether a form may begin with these two characters. What is not ASCII may always come second. */
function createBeginnings(forms: readonly Form[]): (first: number, second: number) => boolean {
  const pairs = new Uint8Array(ASCII * ASCII);
  const firsts = new Set<number>();
  for (const { head, gaps } of forms) {
    const next = plainOf(head[1]).map((each) => each.charAt(0));
    const then = [SPECIAL, gaps === null ? "" : GAP_STARTS, ...next].join("");
    for (const each of plainOf(head[0])) {
      const first = each.charCodeAt(0);
      firsts.add(first);
      if (first >= ASCII) continue;
      // A byte in hexadecimal digits has two characters itself.
      const seconds = each.length > 1 ? each.charAt(1) : then;
      for (let at = 0; at < seconds.length; at += 1) {
        const second = seconds.charCodeAt(at);
        if (second < ASCII) pairs[first * ASCII + second] = 1;
      }
    }
  }
  return (first, second) =>
    first < ASCII && second < ASCII ? pairs[first * ASCII + second] === 1 : firsts.has(first);
}

function endOfRun(text: string, at: number): number {
  let end = at;
  while (text.charAt(end) === "\\") end += 1;
  return end;
}

/** What may follow the backslashes of an escape, beside punctuation. */
const ESCAPES = "uUxnrtbf%&";

function isEscapable(text: string): boolean {
  return !/^\w/.test(text);
}

/** What can be passed on, without secrets, and what cannot yet. */
type Scanned = { readonly clean: string; readonly rest: string };

/** `isWhole`: the text does not continue. */
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

/** The replacement of a secret. */
export function markOf({ name }: Pick<Form, "name">): string {
  return `[redacted:${name}]`;
}
