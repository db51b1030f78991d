import type { YAMLError } from "yaml";

// The yaml library says where its grammar breaks, which is often lines behind the mistake. What follows looks for the
// mistakes that people make, at the place where they made them.

/** A mistake in the text, and what was meant if that is known. */
type Mistake = {
  readonly offset: number;
  readonly message: string;
  readonly suggestion: string | null;
};

/** Errors after which the rest of the text is still read as it is meant. */
const CONTAINED: ReadonlySet<string> = new Set(["BAD_SCALAR_START", "BAD_DQ_ESCAPE", "TAG_RESOLVE_FAILED"]);

/**
 * The mistakes behind the errors of a text: usually one, because what follows it is not read as it
 * was meant.
 */
export function mistakesIn(errors: readonly YAMLError[], text: string): readonly Mistake[] {
  const all = errors.every(({ code }) => CONTAINED.has(code)) ? errors : errors.slice(0, 1);
  const tab = errors.find((error) => error.code === "TAB_AS_INDENT" || isTabIndented(text, error.pos[0]));
  return (tab === undefined ? all : [tab]).map((error) => mistakeOf(error, text));
}

const TABS = "a tab cannot indent YAML, use spaces";

const NOT_AN_ENTRY =
  "this line is neither `key: value` nor part of the value above it, check its indentation and quotes";

function mistakeOf(error: YAMLError, text: string): Mistake {
  const offset = error.pos[0];
  if (error.code === "TAB_AS_INDENT" || isTabIndented(text, offset))
    return mistake(tabOf(text, offset), TABS);
  const found = RULES.map((rule) => rule(error, text, offset)).find((each) => each !== null);
  return found ?? mistake(offset, lowerFirst(error.message));
}

type Rule = (error: YAMLError, text: string, offset: number) => Mistake | null;

const RULES: readonly Rule[] = [
  cutText,
  template,
  tag,
  badStart,
  badEscape,
  unclosedQuote,
  trailingText,
  unclosedBracket,
  listBesideKey,
  missingComma,
  unalignedLine,
  nestedMap,
  noEntry,
];

/** Errors that are the end of a text, its list or its map in a comment. */
const AFTER_A_CUT = /^(?:Flow |Missing ,|Implicit keys need|All mapping items|Unexpected |Nested mappings)/;

/** On the line before the error, or on its own. */
function cutText(error: YAMLError, text: string, offset: number): Mistake | null {
  if (!AFTER_A_CUT.test(error.message)) return null;
  const own = lineStart(text, offset);
  for (const start of [lineAbove(text, own, () => true), own]) {
    const at = start === null ? null : cutInLine(text.slice(start, lineEnd(text, start)));
    if (start !== null && at !== null) return mistake(start + at, CUT);
  }
  return null;
}

/** `expression: {{ x }}`: the marks of a template language are a map in YAML. */
function template(_error: YAMLError, text: string, offset: number): Mistake | null {
  const start = lineStart(text, offset);
  const line = text.slice(start, lineEnd(text, offset));
  const found = /^(.*?([\w$-]+):\s+)((\$?\{\{|\{%-?)\s*(.*?)\s*(?:-?%\}|\}\}|$))/.exec(line);
  if (found === null) return null;
  const [, before = "", key = "", whole = "", open = "", inner = ""] = found;
  const at = start + before.length;
  if (at > offset) return null;
  const isWhole = /^\s*(?:[,}\]]|$)/.test(line.slice(before.length + whole.length));
  const inQuotes = short(JSON.stringify(whole));
  return key === "expression"
    ? mistake(
        at,
        `an expression is JSONata alone, without ${open}`,
        open.startsWith("{%") ? null : short(inner),
      )
    : mistake(
        at,
        `a text that starts with ${open} must be quoted`,
        isWhole ? inQuotes : quotedRest(text, at),
      );
}

function tag(error: YAMLError, text: string, offset: number): Mistake | null {
  if (error.code === "TAG_RESOLVE_FAILED")
    return mistake(offset, `${lowerFirst(error.message)}: custom tags are not allowed; ${mustBeQuoted("!")}`);
  if (!error.message.startsWith("Tags and anchors must")) return null;
  const start = wordStart(text, offset);
  return mistake(start, mustBeQuoted(text[start] ?? ""), quotedRest(text, start));
}

function badStart(error: YAMLError, text: string, offset: number): Mistake | null {
  return error.code === "BAD_SCALAR_START"
    ? mistake(offset, `${lowerFirst(error.message)}, quote the text`, quotedRest(text, offset))
    : null;
}

function badEscape(error: YAMLError, text: string, offset: number): Mistake | null {
  if (error.code !== "BAD_DQ_ESCAPE") return null;
  return mistake(
    offset,
    `${lowerFirst(error.message)}: in double quotes a backslash is written \\\\`,
    `\\${text.slice(offset, offset + 2)}`,
  );
}

/** The place of a quote that is never closed is its own, not the end of the file. */
function unclosedQuote(error: YAMLError, text: string, offset: number): Mistake | null {
  const [, quote] = /^Missing closing (["'])quote/.exec(error.message) ?? [];
  if (quote === undefined) return null;
  return mistake(text.lastIndexOf(quote, offset - 1), "this quote is never closed");
}

/** A value that is over before its text is: closed too early by a quote, or begun with a sign of YAML. */
function trailingText(error: YAMLError, text: string, offset: number): Mistake | null {
  if (!/^Unexpected .* at node end$/.test(error.message)) return null;
  const before = text.slice(0, offset).trimEnd();
  const last = before.at(-1) ?? "";
  if (last === '"' || last === "'") return earlyQuote(text, before.length - 1, last);
  const start = wordStart(text, offset);
  const first = text[start] ?? "";
  if (/[[{*&!]/.test(first)) return mistake(start, mustBeQuoted(first), quotedRest(text, start));
  const sign = text[offset] ?? "";
  const own = lineStart(text, offset);
  const above = lineAbove(text, own, () => true);
  if (above !== null && text.slice(own, offset).trim() === "" && indentOf(text, above) !== offset - own)
    return mistake(offset, unaligned(offset - own, [indentOf(text, above)]));
  return /[[{]/.test(sign)
    ? mistake(start, `a text between { } that contains ${sign} must be quoted`, null)
    : null;
}

function earlyQuote(text: string, end: number, quote: string): Mistake {
  const line = text.slice(lineStart(text, end), end);
  const isOpenedHere = new RegExp(`(?:^\\s*|[:,\\[{-]\\s+)${quote}`).test(line);
  if (!isOpenedHere) {
    const opening = lastMatch(text.slice(0, end), new RegExp(`(?:[:,\\[{-][ \\t]+)${quote}`, "g"));
    if (opening !== null) return mistake(opening, "this quote is only closed on a later line");
  }
  const inside = quote === '"' ? '\\"' : "''";
  return mistake(end, `the quoted text ends here; inside of it a quote is written ${inside}`, inside);
}

/** The place of the last character of the last match. */
function lastMatch(text: string, pattern: RegExp): number | null {
  const last = [...text.matchAll(pattern)].at(-1);
  return last === undefined ? null : last.index + last[0].length - 1;
}

function unclosedBracket(error: YAMLError, text: string, offset: number): Mistake | null {
  const [, close] = /must be sufficiently indented and end with a ([\]}])/.exec(error.message) ?? [];
  if (close === undefined) return null;
  const open = close === "]" ? "[" : "{";
  let depth = 0;
  for (let at = offset - 1; at >= 0; at -= 1) {
    if (text[at] === close) depth += 1;
    if (text[at] !== open) continue;
    if (depth === 0) return mistake(at, `this ${open} is never closed`, null);
    depth -= 1;
  }
  return null;
}

function listBesideKey(error: YAMLError, text: string, offset: number): Mistake | null {
  return error.message.startsWith("Unexpected block-seq-ind on same line")
    ? mistake(
        offset,
        "a list begins on a line of its own; a text that starts with - must be quoted",
        quotedRest(text, offset),
      )
    : null;
}

function missingComma(error: YAMLError, text: string, offset: number): Mistake | null {
  if (error.code !== "BLOCK_IN_FLOW") return null;
  const [before, key] = /^[^\s,]+\s+(?=([^\s,:{}]+)\s*:)/.exec(text.slice(offset, offset + 200)) ?? [];
  if (before === undefined) return null;
  return mistake(offset + before.length, `a comma is missing before ${key}`, `, ${key}`);
}

/** A line whose indentation fits none of the lines above it, or the line that made it so. */
function unalignedLine(error: YAMLError, text: string, offset: number): Mistake | null {
  if (!/^All (mapping|sequence|collection) items must start at the same column/.test(error.message))
    return null;
  // The place of an entry with comments above it is that of the comments.
  const own = lineStart(text, offset);
  const isComment = !isContent(text.slice(own, lineEnd(text, own)));
  const start = isComment ? (lineBelow(text, own) ?? own) : own;
  const indent = indentOf(text, start);
  const parent = lineAbove(text, start, (width) => width < indent);
  const before = parent === null ? null : lineAbove(text, parent, (width) => width <= indent);
  if (
    parent !== null &&
    before !== null &&
    indentOf(text, before) === indent &&
    indentOf(text, parent) < indent
  ) {
    const width = indentOf(text, parent);
    return mistake(parent + width, unaligned(width, [indent]));
  }
  const above = lineAbove(text, start, () => true);
  const widths = [above, parent].flatMap((line) => (line === null ? [] : [indentOf(text, line)]));
  return mistake(start + indent, unaligned(indent, [...new Set(widths)]));
}

function unaligned(width: number, others: readonly number[]): string {
  return `this line is indented by ${width}, the lines above it by ${others.join(" or ")}: keys of one map need the same indentation`;
}

function nestedMap(error: YAMLError, text: string, offset: number): Mistake | null {
  if (error.code !== "BLOCK_AS_IMPLICIT_KEY") return null;
  const start = lineStart(text, offset);
  const rest = text.slice(offset, lineEnd(text, offset));
  if (rest.trim() !== "" && offset > start && /:(\s|$)/.test(rest))
    return mistake(offset, 'a text that contains ": " must be quoted', quotedRest(text, offset));
  // The value above went on in a line that is indented deeper, or the line itself is the deeper one.
  const isOwn = isContent(rest) && text.slice(start, offset).trim() === "";
  const line = isOwn ? start : lineBelow(text, offset);
  if (line === null) return null;
  const above = lineAbove(text, line, () => true);
  const width = indentOf(text, line);
  return mistake(line + width, unaligned(width, above === null ? [] : [indentOf(text, above)]));
}

function noEntry(error: YAMLError, text: string, offset: number): Mistake | null {
  if (!/^Implicit (map )?keys need/.test(error.message)) return null;
  const start = lineStart(text, offset);
  const width = indentOf(text, start);
  const line = text.slice(start + width, lineEnd(text, offset)).trimEnd();
  const glued = /^([\w$-]+):(\S.*)$/.exec(line);
  if (glued !== null)
    return mistake(
      start + width + (glued[1] ?? "").length,
      "a space is missing after the colon",
      short(`${glued[1]}: ${glued[2]}`),
    );
  const below = lineBelow(text, offset);
  if (/^[\w$-]+$/.test(line) && below !== null && indentOf(text, below) > width)
    return mistake(start + width, `a colon is missing after ${line}`, `${line}:`);
  return mistake(offset, NOT_AN_ENTRY);
}

function mistake(offset: number, message: string, suggestion: string | null = null): Mistake {
  return { offset, message, suggestion };
}

function mustBeQuoted(sign: string): string {
  return `a text that starts with ${sign} must be quoted`;
}

/** The rest of the line in quotes. */
function quotedRest(text: string, offset: number): string | null {
  return short(JSON.stringify(text.slice(offset, lineEnd(text, offset)).trim()));
}

const LONGEST = 80;

function short(text: string): string | null {
  return text.length > LONGEST ? null : text;
}

/** Where the value begins that the offset is in. */
function wordStart(text: string, offset: number): number {
  const start = lineStart(text, offset);
  const before = text.slice(start, offset);
  const last = lastMatch(before, /(?:[:,{[]|^\s*-)\s+(?=\S)/g);
  return start + (last === null ? before.length - before.trimStart().length : last + 1);
}

/** yaml reports some tabs by their consequences only. */
function isTabIndented(text: string, offset: number): boolean {
  return /^ *\t/.test(text.slice(lineStart(text, offset), offset + 1));
}

function tabOf(text: string, offset: number): number {
  return text.indexOf("\t", lineStart(text, offset));
}

function lineStart(text: string, offset: number): number {
  // `lastIndexOf` takes a place before the text for its first one: an empty first line would never end.
  return offset <= 0 ? 0 : text.lastIndexOf("\n", offset - 1) + 1;
}

export function lineEnd(text: string, offset: number): number {
  const end = text.indexOf("\n", offset);
  return end === -1 ? text.length : end;
}

/** Columns of blanks at the beginning of a line. */
function indentOf(text: string, start: number): number {
  return (/^ */.exec(text.slice(start, lineEnd(text, start)))?.[0] ?? "").length;
}

function isContent(line: string): boolean {
  return line.trim() !== "" && !line.trimStart().startsWith("#");
}

/** The start of the nearest line above with content and a fitting indentation. */
function lineAbove(text: string, start: number, fits: (width: number) => boolean): number | null {
  for (let at = start; at > 0; ) {
    at = lineStart(text, at - 1);
    if (isContent(text.slice(at, lineEnd(text, at))) && fits(indentOf(text, at))) return at;
  }
  return null;
}

function lineBelow(text: string, offset: number): number | null {
  for (let at = lineEnd(text, offset) + 1; at < text.length; at = lineEnd(text, at) + 1)
    if (isContent(text.slice(at, lineEnd(text, at)))) return at;
  return null;
}

function lowerFirst(message: string): string {
  return message.charAt(0).toLowerCase() + message.slice(1);
}

// In YAML ` #` begins a comment: `procedure: fix issue #41` says "fix issue". A comment behind a text in quotes, a number
// or a list cuts nothing, and neither does one on a line of its own.

export const CUT = 'a text that contains " #" must be quoted; a comment goes on a line of its own';

export function hasBlank(text: string): boolean {
  return /\s/.test(text);
}

/** `#41`, not `# the issue`. */
export function isGluedComment(comment: string): boolean {
  return /^#[^\s#]/.test(comment);
}

/** Where a text without quotes is cut in a line that is not read any more; `null`: nowhere. */
function cutInLine(line: string): number | null {
  let quote = "";
  for (let at = 0; at < line.length; at += 1) {
    const char = line[at] ?? "";
    const before = line[at - 1] ?? "";
    if (quote !== "") {
      if (char === quote) quote = "";
    } else if (/["']/.test(char) && (before === "" || /[\s,[{]/.test(before))) quote = char;
    else if (char === "#" && /\s/.test(before))
      return isTextBefore(line.slice(0, at).trimEnd(), line.slice(at)) ? at : null;
  }
  return null;
}

/** What stands between the `#` and the sign of YAML before it. */
function isTextBefore(before: string, comment: string): boolean {
  if (/["'\]}|>]$/.test(before)) return false;
  const text =
    before
      .split(/(?:^|\s)-\s+|:\s+|,\s*|[[{]/)
      .at(-1)
      ?.trim() ?? "";
  return text !== "" && (hasBlank(text) || isGluedComment(comment));
}
