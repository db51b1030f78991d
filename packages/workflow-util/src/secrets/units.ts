import type { Unit } from "./types.js";

// One character of a secret, and how texts write it. Escapes are read one by one, so a text may mix them, escape any
// character and none, and use several encodings on top of each other.

/** JSON inside of JSON inside of JSON: a body that quotes an answer that quotes a document. */
const QUOTINGS = 3;

/** So many backslashes one character gets by quoting that often, and so many times as many one backslash becomes. */
const ADDED = 2 ** QUOTINGS - 1;
const TIMES = 2 ** QUOTINGS;

/** `%73`, and encoded again: `%2573`. */
const PERCENT = "%(?:25){0,2}";

const AMPERSAND = "&(?:amp;){0,2}";

const BACKSLASH =
  `(?:\\\\(?:u005[cC]|x5[cC]|u\\{0{0,5}5[cC]\\}|U0000005[cC])?|${PERCENT}5[cC]|` +
  `${AMPERSAND}(?:#0{0,5}92|#[xX]0{0,5}5[cC]|bsol);)`;

const SHORT: Readonly<Record<string, string>> = {
  "\b": "b",
  "\t": "t",
  "\n": `(?:r${BACKSLASH}{1,${ADDED}})?n`,
  "\f": "f",
  "\r": "r",
};

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "amp",
  "<": "lt",
  ">": "gt",
  '"': "quot",
  "'": "apos",
};

/** What may begin another way of writing. */
export const SPECIAL = "\\%&";

const [BACKSLASH_CODE, PERCENT_CODE, AMPERSAND_CODE] = [92, 37, 38];

export function isSpecial(code: number): boolean {
  return code === BACKSLASH_CODE || code === PERCENT_CODE || code === AMPERSAND_CODE;
}

export const NONE = -1;

/** Makes units; equal ones are one, and none prepares its pattern before a text asks for it. */
export function createUnits(): (plain: readonly string[], backslashes: number) => Unit {
  const made = new Map<string, Unit>();
  return (plain, backslashes) => {
    const name = `${backslashes} ${plain.join("")}`;
    const unit = made.get(name) ?? newUnit(plain, backslashes);
    made.set(name, unit);
    return unit;
  };
}

function newUnit(plain: readonly string[], backslashes: number): Unit {
  let pattern: RegExp | null = null;
  const written = (): RegExp => {
    pattern ??= new RegExp(writtenSource(plain, backslashes), "y");
    return pattern;
  };
  return { plain, backslashes, written };
}

/** Where the unit that begins there ends, or `NONE`. */
export function afterUnit(unit: Unit, text: string, at: number): number {
  if (isSpecial(text.charCodeAt(at))) {
    const pattern = unit.written();
    pattern.lastIndex = at;
    return pattern.test(text) ? pattern.lastIndex : NONE;
  }
  return unit.backslashes > 0 ? NONE : afterPlain(unit, text, at);
}

/** The same for the plain form of a unit whose backslashes have been read. */
export function afterPlain({ plain }: Unit, text: string, at: number): number {
  for (const each of plain) {
    const isThere =
      each.length === 1 ? each.charCodeAt(0) === text.charCodeAt(at) : text.startsWith(each, at);
    if (isThere) return at + each.length;
  }
  return NONE;
}

/** The source of a pattern for every way of writing it. The ways as such come before the character itself. */
export function writtenSource(plain: readonly string[], backslashes: number): string {
  const most = backslashes * TIMES;
  const ways = plain.flatMap(encodedWays);
  const behind = [...plain.flatMap(escapedWays), ...plain.filter(isPunctuation).map(literal)];
  const all = plain.some(isPunctuation) ? [...behind, ...ways] : behind;
  const escaped = `${BACKSLASH}{${backslashes + 1},${most + ADDED}}(?:${all.join("|")})`;
  const before = backslashes === 0 ? "" : `${BACKSLASH}{${backslashes},${most}}`;
  return `${escaped}|${before}(?:${[...ways, ...plain.map(literal)].join("|")})`;
}

/** Behind a backslash: `u0073`, `ud83d\ude00`, `u{73}`, `U00000073`, `x73`, `n`. */
function escapedWays(text: string): readonly string[] {
  const again = `${BACKSLASH}{1,${ADDED}}`;
  const codes = [...text].map((each) => each.codePointAt(0) ?? 0);
  const units = Array.from({ length: text.length }, (_, index) => text.charCodeAt(index));
  const ways = [
    units.map((unit) => `u${hex(unit, 4)}`),
    codes.map((code) => `u\\{0{0,5}${hex(code, 1)}\\}`),
    codes.map((code) => `U${hex(code, 8)}`),
    [...Buffer.from(text)].map((byte) => `x${hex(byte, 2)}`),
  ].map((each) => each.join(again));
  const short = SHORT[text];
  return short === undefined ? ways : [...ways, short];
}

/** `%73`, `&#115;`, `&#x73;`, `&amp;` */
function encodedWays(text: string): readonly string[] {
  const percent = [...Buffer.from(text)].map((byte) => `${PERCENT}${hex(byte, 2)}`).join("");
  const entities = [...text].map((each) => {
    const code = each.codePointAt(0) ?? 0;
    const name = ENTITIES[each];
    const names = name === undefined ? "" : `|${name}`;
    return `${AMPERSAND}(?:#0{0,5}${code}|#[xX]0{0,5}${hex(code, 1)}${names});`;
  });
  return [percent, entities.join("")];
}

function isPunctuation(text: string): boolean {
  return /^[^\p{L}\p{N}]/u.test(text);
}

/** In capital and small letters. */
export function hex(code: number, digits: number): string {
  const text = code.toString(16).padStart(digits, "0");
  return text.replace(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`);
}

export function literal(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&");
}

const HEX = "[0-9a-fA-F]";
const ESCAPE = `(?:\\\\{1,${ADDED}}(?:u${HEX}{4}|x${HEX}{2})|${PERCENT}${HEX}{2}|&(?:amp;){0,2}#\\w{1,8};)`;

/** A way of writing that the end of the text cuts, whichever character it is of. */
const UNFINISHED = new RegExp(
  `^${BACKSLASH}*(?:${ESCAPE}){0,3}(?:${BACKSLASH}*(?:${BACKSLASH}(?:u(?:${HEX}{0,3}|\\{${HEX}{0,8})|U${HEX}{0,7}|x${HEX}?|r)?|${PERCENT}(?:2|${HEX})?|&(?:amp;){0,2}#?\\w{0,8})|)$`,
);

/** Longer than any that is known to mean something. */
export const LONGEST_UNIT = 64;

/** Whether the text may end within the unit. */
export function isUnfinished({ plain }: Unit, text: string, at: number): boolean {
  if (text.length - at > LONGEST_UNIT) return false;
  const rest = text.slice(at);
  if (plain.some((each) => each.length > rest.length && each.startsWith(rest))) return true;
  return SPECIAL.includes(rest.charAt(0)) && UNFINISHED.test(rest);
}
