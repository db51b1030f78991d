import { sanitizeTerminal } from "@uncaged/json-cas";
import { createFinder, markOf, matchEnd, NONE, scan } from "./finder.js";
import { createForms } from "./forms.js";
import type { Form, Matcher, Redactor, Secret, Strange, TextStream, Unit } from "./types.js";
import { afterPlain, isSpecial } from "./units.js";

// Texts are cut, and a secret in two: its halves are no form of it any more, and still show it.

/** Of its beginning: `sk-proj-` and the like are known to everybody. */
const HARMLESS_BEGINNING = 8;

/** Where our own messages truncate what they quote. */
const CUT = "…";

/**
 * Our messages are short; a complete reply has not been truncated by us, and checking each `…` of 16 MiB takes
 * time.
 */
const LONGEST_MESSAGE = 64 * 1024;

/** The rest of a character that was cut, which may be written in several escapes, or of a gap. */
const CUT_CHARACTER =
  /^[\ufffd\udc00-\udfff]{0,3}[\w#{]{0,10}[};]?(?:\\+[uUx]\{?[\da-fA-F]{1,8}\}?|%(?:25){0,2}[\da-fA-F]{2}|&#\w{1,6};){0,3}[\\\s:,-]{0,34}/;

/** The end of a longer text, without the end of a secret that it begins with. */
function withoutCutStart(text: string, { forms, finder }: Matcher): string {
  const before = CUT_CHARACTER.exec(text)?.[0].length ?? 0;
  let cut = 0;
  for (let at = 0; at <= before; at += 1) {
    // A complete one was not truncated.
    if (finder.at(text, at).form !== null) break;
    for (const form of forms) cut = Math.max(cut, endOf(text, at, form));
  }
  return text.slice(cut);
}

/** Where the form that begins here ends; 0: there is none. */
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

/** The text with the secret's mark in place of its beginning before each `…`. */
function withoutCutEnds(text: string, matcher: Matcher): string {
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

type Change = (text: string) => string;

const SAME: Change = (text) => text;

/** The value with every string in it changed; anything but JSON stays as it is. */
function mapStrings<T>(value: T, change: Change, rename: Change): T {
  return mapped(value, change, rename) as T;
}

function mapped(value: unknown, change: Change, rename: Change): unknown {
  if (typeof value === "string") return change(value);
  if (Array.isArray(value)) return value.map((item) => mapped(item, change, rename));
  if (!isPlainObject(value)) return value;
  // `fromEntries` makes own members, also of names like `__proto__`.
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [rename(name), mapped(member, change, rename)]),
  );
}

/** The first text in the value, or name of a member, of which `find` says something. */
function firstString<T>(value: unknown, at: string, find: (text: string, at: string) => T | null): T | null {
  if (typeof value === "string") return find(value, at);
  const members = Array.isArray(value)
    ? [...value.entries()]
    : isPlainObject(value)
      ? Object.entries(value)
      : [];
  for (const [name, member] of members) {
    const below = `${at}/${String(name).replaceAll("~", "~0").replaceAll("/", "~1")}`;
    const found = (typeof name === "string" ? find(name, below) : null) ?? firstString(member, below, find);
    if (found !== null) return found;
  }
  return null;
}

function isPlainObject(value: unknown): value is Readonly<Record<string, unknown>> {
  if (typeof value !== "object" || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/** Takes secrets out of a text in pieces: what could be the beginning of one is held back until it is clear. */
function createStream(matcher: () => Matcher): TextStream {
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

const NOTHING: Redactor = {
  text: (text) => text,
  tail: (text) => text,
  uncut: (text) => text,
  value: (value) => value,
  record: (value) => value,
  fault: (fault) => fault,
  strange: () => null,
  longest: () => 0,
  stream: () => ({ push: (piece) => piece, flush: () => "" }),
};

/**
 * Takes these secrets out of texts, in the forms that texts give them. It also finds a secret with terminal
 * codes in the middle of it: a terminal that shows the text drops the codes.
 *
 * `strangers`: secrets that somebody else names, who may call any word a secret. They are taken out as the others are.
 *
 * Nothing is prepared before the first text: most steps never come to one.
 */
export function createRedactor(own: readonly Secret[], strangers: readonly Secret[] = []): Redactor {
  const secrets = [...own, ...strangers];
  if (secrets.every(({ value }) => value.trim() === "")) return NOTHING;
  let kept: Matcher | null = null;
  const matcher = (): Matcher => {
    kept ??= matcherOf(secrets);
    return kept;
  };
  const text = (given: string): string => cleaned(given, matcher());
  const record = <T>(value: T): T => mapStrings(value, text, SAME);
  let ours: Redactor | null = null;
  const strange = (given: string, at: string): Strange | null => {
    const clean = text(given);
    if (clean === given) return null;
    ours ??= createRedactor(own);
    if (clean === ours.text(given)) return null;
    const { name } = strangers.find((each) => clean.includes(markOf(each))) ?? { name: "a variable" };
    return { at, name };
  };
  const uncut = (given: string): string => withoutCutStart(given, matcher());
  return {
    text,
    tail: (given) => text(uncut(given)),
    uncut,
    value: (value) => mapStrings(value, text, text),
    record,
    fault: (fault) => ({ ...record(fault), code: fault.code }),
    strange: (value, longest) =>
      strangers.length === 0
        ? null
        : firstString(value, "", (each, at) => (each.length > longest ? null : strange(each, at))),
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

/** Of two variables with the same value the first provides the name. */
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
