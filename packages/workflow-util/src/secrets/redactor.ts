import { sanitizeTerminal } from "@uncaged/json-cas";
import { createFinder, type Finder, markOf } from "./finder.js";
import type { Secret } from "./views.js";

/** Puts `[redacted:NAME]` in place of secrets. Without secrets every function returns its input. */
export type Redactor = {
  readonly text: (text: string) => string;
  /** For the end of a longer text: it may begin with the end of a secret. */
  readonly tail: (text: string) => string;
  /** Takes only that end away: for the first piece of a stream. */
  readonly uncut: (text: string) => string;
  /** Every string in a JSON value, names of members included: for what others have written. */
  readonly value: <T>(value: T) => T;
  /** The same without the names, by which a record of ours is read. */
  readonly record: <T>(value: T) => T;
  /** `record` of a fault, whose code and exit code stay. */
  readonly fault: <T extends { readonly code: string }>(fault: T) => T;
  /**
   * The first text in a JSON value, names of members included, of at most `longest` characters, that only a stranger's
   * secret changes; `null`: there is none. Code that decides by such a text must not be given a changed one.
   */
  readonly strange: (value: unknown, longest: number) => Strange | null;
  /** Characters of the longest form of a secret: so much more than a tail has to be looked at. */
  readonly longest: () => number;
  /** For a text that arrives in pieces. */
  readonly stream: () => TextStream;
};

/** `at`: JSON pointer. `name`: the variable that the stranger has set. */
type Strange = { readonly at: string; readonly name: string };

/** A text in pieces: `push` returns what can be passed on, `flush` the rest. */
export type TextStream = {
  readonly push: (piece: string) => string;
  readonly flush: () => string;
};

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
function withoutCutStart(text: string, finder: Finder): string {
  return text.slice(finder.cutStart(text, CUT_CHARACTER.exec(text)?.[0].length ?? 0));
}

/** The text with the secret's mark in place of its beginning before each `…`. */
function withoutCutEnds(text: string, finder: Finder): string {
  if (text.length > LONGEST_MESSAGE || !text.includes(CUT)) return text;
  const parts = text.split(CUT);
  const last = parts.pop() ?? "";
  return [...parts.map((part) => withoutBeginning(part, finder)), last].join(CUT);
}

function withoutBeginning(part: string, finder: Finder): string {
  const cut = finder.cutEnd(part, HARMLESS_BEGINNING);
  return cut === null ? part : `${part.slice(0, cut.start)}${markOf(cut)}`;
}

const PIECE = 64 * 1024;

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
function createStream(finder: () => Finder): TextStream {
  let held = "";
  const push = (piece: string): string => {
    if (piece === "") return "";
    const { clean, rest } = finder().scan(held + piece, false);
    held = rest;
    return clean;
  };
  const flush = (): string => {
    const { clean } = held === "" ? { clean: "" } : finder().scan(held, true);
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
 * `strangers`: secrets that another party names, which may call any word a secret. They are taken out as the others are.
 *
 * Nothing is prepared before the first text: most steps never come to one.
 */
export function createRedactor(own: readonly Secret[], strangers: readonly Secret[] = []): Redactor {
  const secrets = [...own, ...strangers];
  if (secrets.every(({ value }) => value.trim() === "")) return NOTHING;
  let kept: Finder | null = null;
  const finder = (): Finder => {
    kept ??= createFinder(secrets);
    return kept;
  };
  const text = (given: string): string => cleaned(given, finder());
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
  const uncut = (given: string): string => withoutCutStart(given, finder());
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
    longest: () => finder().longest,
    stream: () => createStream(finder),
  };
}

function cleaned(given: string, finder: Finder): string {
  const clean = withoutCutEnds(scanned(given, finder), finder);
  const shown = sanitizeTerminal(clean);
  if (shown.length === clean.length) return clean;
  const again = scanned(shown, finder);
  return again === shown ? clean : again;
}

/** In pieces: the views of a text take many times its memory. */
function scanned(text: string, finder: Finder): string {
  const stream = createStream(() => finder);
  let clean = "";
  for (let at = 0; at < text.length; at += PIECE) clean += stream.push(text.slice(at, at + PIECE));
  return clean + stream.flush();
}
