import type { JsonValue } from "@uncaged/json-cas";
import { closesCodeFence, codeFenceOf, type Fence, type FrontmatterBlock, type Marked } from "./find.js";

/** Whether a key is that of a field of the output, or nearly one. `null`: no field has a name. */
export type IsField = ((key: string) => boolean) | null;

/** What is known of the fields of an output. `null`: no field has a name. */
export type Fields = {
  readonly isField: (key: string) => boolean;
  /** Whether the value is one of the few that the field can have. */
  readonly isChoice: (key: string, value: JsonValue) => boolean;
} | null;

/** Of a text that is no header no more is searched: its keys would come first. */
const MOST_LINES = 300;

const KEY = /^(?:[-?][ \t]+)*(?:"([^"]{1,100})"|'([^']{1,100})'|([^\s"'#:[\]{}][^"#:[\]{}]{0,100}?))[ \t]*:/;
const FLOW_KEY =
  /[{,]\s*(?:"([^"\n]{1,100})"|'([^'\n]{1,100})'|([^\s"'#,:[\]{}][^"#,:[\]{}\n]{0,100}?))\s*:/g;

/** The keys that the text seems to have at its top level, readable or not. */
export function keysIn(text: string): readonly string[] {
  const lines = text
    .split("\n", MOST_LINES)
    .filter((line) => line.trim() !== "" && !line.trimStart().startsWith("#"));
  const [first = ""] = lines;
  if (first.trimStart().startsWith("{")) return flowKeys(lines.join("\n"));
  const indents = lines.map((line) => line.length - line.trimStart().length);
  const least = indents.reduce((left, right) => Math.min(left, right), Number.POSITIVE_INFINITY);
  return lines
    .filter((_, at) => indents[at] === least)
    .flatMap((line) => {
      const [, a, b, c] = KEY.exec(line.trimStart()) ?? [];
      const key = a ?? b ?? c;
      return key === undefined ? [] : [key];
    });
}

function flowKeys(text: string): readonly string[] {
  try {
    return Object.keys(JSON.parse(text));
  } catch {
    return [...text.matchAll(FLOW_KEY)].map(([, a, b, c]) => a ?? b ?? c ?? "");
  }
}

function namesField(text: string, isField: (key: string) => boolean): boolean {
  return keysIn(text).some(isField);
}

/** Whether the text has keys as a program would name them: a header of other fields, and not prose with a colon. */
export function hasPlainKey(text: string): boolean {
  return keysIn(text).some((key) => /^\w[\w-]*$/.test(key));
}

// Lines that were meant as `---` and are none, and what is wrong with them.

/** Blanks that are no blanks of ASCII, characters of no width, and marks of the byte order. */
const UNSEEN = /[\u00a0\u00ad\u180e\u2000-\u200f\u2028-\u202f\u205f\u2060\u3000\ufeff]/;

/** Rules of Markdown, other dashes, and the delimiters of other headers. */
const RULE = /^(?:(?:\*[ \t]*){3,}|(?:_[ \t]*){3,}|(?:-[ \t]+){2,}-|-{2}|-{4,}|[‐-―−─━]{1,}|={3,}|\+{3,})$/u;

/** A longer line is not inspected: a line that was meant as `---` has little else on it. */
const LONGEST = 40;

/** What keeps the line from being a line `---`; `null` when it is one, or was never meant as one. */
function markFlaw(line: string): string | null {
  const text = line.trimEnd();
  if (line.length > LONGEST || /^---[ \t]*\r?$/.test(line)) return null;
  const unseen = UNSEEN.exec(line)?.[0];
  if (unseen !== undefined && /^-{3}$/.test(line.replaceAll(new RegExp(UNSEEN, "g"), "").trim()))
    return `the line --- has a character that is not visible (${codeOf(unseen)}): only --- may stand on it`;
  if (/^[ \t]+---$/.test(text)) return "the line --- is indented: it must begin with the first character";
  if (RULE.test(text.trim())) return `the line ${text.trim()} is no line ---: write exactly three hyphens`;
  if (/^---[ \t]*[^\s|-]/.test(text)) return `only --- may stand on its line, found ${text}`;
  return null;
}

/** What keeps the line from closing a header. */
function closingFlaw(line: string): string | null {
  if (/^(?:\.{3}|`{3,}|~{3,})\s*$/.test(line))
    return `the line ${line.trim()} does not end the header, a line --- does`;
  return markFlaw(line);
}

function codeOf(char: string): string {
  return `U+${char.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}`;
}

/** A part of a reply that says of itself that it is the header: it names a field of the output. */
export type Claim = {
  /** Of the reply, counted from 1. */
  readonly line: number;
  /** `null`: it does not stand between two lines `---`. */
  readonly block: FrontmatterBlock | null;
  /** What is wrong with a claim that is no block. */
  readonly problem: string;
};

type Line = { readonly number: number; readonly text: string; readonly start: number; readonly end: number };

/** How many characters of a text are searched for a header: no header is longer. */
const SEARCHED = 64 * 1024;

/** In a longer reply than two of them, only the beginning and the end are searched for headers without lines `---`. */
const ENDS = 256 * 1024;

const MOST_CLAIMS = 128;

/** Lines that may have been meant to close a header. */
const MOST_TRIES = 20;

const OPENED = "a header begins with a line ---, these fields stand before one";
const IN_CODE =
  "a header in a code block needs its lines --- too: write one before the fields and one after them";

/** What the first words of a reply claim, where no line `---` comes before them; `null`: they are prose. */
export function openingClaim(reply: string, isField: IsField): Claim | null {
  const lines = linesOf(reply, 0);
  let first = nextFilled(lines);
  let isCode = false;
  if (first !== null && codeFenceOf(first.text.trim()) !== null) {
    isCode = true;
    first = nextFilled(lines);
  }
  if (first === null) return null;
  const names = (text: string): boolean =>
    isField === null ? keysIn(text).some((key) => /^\w[\w-]*$/.test(key)) : namesField(text, isField);
  const flaw = markFlaw(first.text);
  if (flaw !== null) {
    return names(until(reply, first.end, isMark)) ? claimAt(first, flaw) : null;
  }
  const text = until(reply, first.start, isEnd);
  if (!names(text)) return null;
  // A paragraph of prose, or a list, may go on with lines that look like fields.
  if (!isCode && !/^\s*\{/.test(first.text) && !(isOutsideList(first.text) && names(first.text))) return null;
  if (isCode) return claimAt(first, IN_CODE);
  const fields = keysIn(text).filter((key) => isField === null || isField(key));
  const isClosed = isMark(lineAt(reply, first.start + text.length));
  // One line `Summary: …` is prose as well.
  return text.startsWith("{") || fields.length > 1 || isClosed ? claimAt(first, OPENED) : null;
}

/** Everything that claims to be the header, where prose comes first; in order. */
export function claimsIn(
  reply: string,
  { fences, blocks }: Marked,
  isField: (key: string) => boolean,
): readonly Claim[] {
  const named = blocks.flatMap((block) =>
    namesField(block.yaml.slice(0, SEARCHED), isField) ? [{ line: block.line, block, problem: "" }] : [],
  );
  const last = fences.at(-1);
  const isOpen = last !== undefined && named.at(-1)?.block !== blocks.at(-1);
  const unclosed =
    last !== undefined && (isOpen || blocks.length === 0) ? unclosedClaim(reply, last, isField) : [];
  const inside = (line: number): boolean =>
    named.some(({ block }) => line > block.line && line <= block.line + block.yaml.split("\n").length);
  const marked = [...named, ...unclosed, ...flawedClaims(reply, isField), ...codeClaims(reply, isField)];
  const bare = bareClaims(reply, isField).filter(({ line }) =>
    marked.every((claim) => claim.line !== line - 1),
  );
  const known: ReadonlySet<Claim> = new Set(named);
  return [...marked, ...bare]
    .filter((claim) => known.has(claim) || !inside(claim.line))
    .sort((left, right) => left.line - right.line);
}

function unclosedClaim(reply: string, open: Fence, isField: (key: string) => boolean): readonly Claim[] {
  if (!namesField(reply.slice(open.end, open.end + SEARCHED), isField)) return [];
  return [{ line: open.line, block: null, problem: closingProblem(reply, open, isField) ?? NOT_CLOSED }];
}

const NOT_CLOSED = "the header that begins here is not closed by a line ---";

/** What is wrong with the line that was meant to close the header; `null` if there is none. */
export function closingProblem(reply: string, open: Fence, isField: IsField): string | null {
  const end = Math.min(reply.length, open.end + SEARCHED);
  let tries = 0;
  for (const line of linesOf(reply.slice(0, end), open.end)) {
    const flaw = closingFlaw(line.text);
    if (flaw === null) continue;
    if (isField === null || namesField(reply.slice(open.end, line.start), isField))
      return `${flaw} (line ${line.number + open.line})`;
    tries += 1;
    if (tries === MOST_TRIES) break;
  }
  return null;
}

/** Fields below a line that was meant as `---`. */
function flawedClaims(reply: string, isField: (key: string) => boolean): readonly Claim[] {
  const claims: Claim[] = [];
  let isFree = true;
  for (const line of linesOf(reply, 0)) {
    // Below a line of words it underlines a heading.
    const flaw = isFree || !/^(?:-{4,}|={3,})\s*$/.test(line.text) ? markFlaw(line.text) : null;
    isFree = line.text.trim() === "" || /[>:]\s*$/.test(line.text);
    if (flaw === null) continue;
    const [key] = keysIn(lineAt(reply, line.end));
    if (key !== undefined && isField(key)) claims.push(claimAt(line, flaw));
    if (claims.length === MOST_CLAIMS) break;
  }
  return claims;
}

/** Code blocks with fields and without a line `---`. */
function codeClaims(reply: string, isField: (key: string) => boolean): readonly Claim[] {
  const claims: Claim[] = [];
  let open: (Line & { readonly marker: string }) | null = null;
  let hasMark = false;
  for (const line of linesOf(reply, 0)) {
    const text = line.text.trim();
    if (open === null) {
      const marker = /^(?:`{3}|~{3})/.test(text) ? codeFenceOf(text) : null;
      if (marker !== null) open = { ...line, marker };
      hasMark = false;
      continue;
    }
    hasMark ||= /^---\s*$/.test(line.text);
    if (!closesCodeFence(text, open.marker)) continue;
    const content = reply.slice(open.end, Math.min(line.start, open.end + SEARCHED));
    if (!hasMark && namesField(content, isField)) claims.push(claimAt(open, IN_CODE));
    if (claims.length === MOST_CLAIMS) break;
    open = null;
  }
  return claims;
}

/** Lines of fields, two or more in a row, or JSON, that stand free: a header without its lines `---`. */
function bareClaims(reply: string, isField: (key: string) => boolean): readonly Claim[] {
  const claims: Claim[] = [];
  let first: Line | null = null;
  let count = 0;
  let isFree = true;
  for (const line of linesOf(reply, 0)) {
    const isJson = isFree && line.text.startsWith("{");
    isFree = line.text.trim() === "" || /[>:]\s*$/.test(line.text) || isMark(line.text);
    const text = isJson ? until(reply, line.start, isEnd) : line.text;
    const keys = isJson || (/^\S/.test(text) && isOutsideList(text)) ? keysIn(text) : [];
    count = keys.some(isField) ? count + 1 : 0;
    if (count === 1) first = line;
    if (first !== null && (count === 2 || (isJson && count === 1))) claims.push(claimAt(first, OPENED));
    if (claims.length === MOST_CLAIMS) break;
  }
  return claims;
}

/** Not an item of a list, a quotation or the like. */
function isOutsideList(line: string): boolean {
  return /^ {0,3}["'\w]/.test(line) && !/^ {0,3}\d+[.)]\s/.test(line);
}

/** Of a paragraph. */
function isEnd(line: string): boolean {
  return line.trim() === "" || isMark(line);
}

function claimAt({ number }: Line, problem: string): Claim {
  return { line: number, block: null, problem };
}

function isMark(line: string): boolean {
  return /^---\s*$/.test(line) || closingFlaw(line) !== null;
}

/** The text up to a line that ends it. */
function until(reply: string, from: number, isEnd: (line: string) => boolean): string {
  const text = reply.slice(from, from + SEARCHED);
  for (const line of linesOf(text, 0)) if (isEnd(line.text)) return text.slice(0, line.start);
  return text;
}

function lineAt(text: string, start: number): string {
  const end = text.indexOf("\n", start);
  return text.slice(start, end < 0 ? text.length : end);
}

function nextFilled(lines: Iterator<Line>): Line | null {
  for (let next = lines.next(); next.done !== true; next = lines.next())
    if (next.value.text.trim() !== "") return next.value;
  return null;
}

function* linesOf(text: string, from: number): Generator<Line> {
  let number = 1;
  for (let start = from === 0 && text.startsWith("\ufeff") ? 1 : from; start < text.length; number += 1) {
    const next = text.indexOf("\n", start);
    const end = next < 0 ? text.length : next + 1;
    if (start < ENDS || start > text.length - ENDS)
      yield { number, start, end, text: text.slice(start, next < 0 ? end : next) };
    start = end;
  }
}
