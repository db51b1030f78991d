import { MAX_VALUES, pointer } from "@uncaged/json-schema";
import { CasError } from "./fault.js";
import type { JsonValue } from "./node.js";

/** A text of at most this many characters cannot hold too many values, or too deep ones, for any reader. */
const SHORT = 1000;

/** Far below where a recursive program ends, far above what can be stored. */
const DEEPEST = 1000;

/**
 * The one reader of JSON that becomes part of an output or a node. Unlike `JSON.parse` it changes nothing silently: a
 * number that a double cannot hold and a key that an object has twice are refused. So is, before it is built, what
 * would take many times its size in memory or end a recursive program. Throws `NOT_STORABLE` then, and `SyntaxError` as
 * `JSON.parse` does.
 */
export function parseJson(text: string): JsonValue {
  const value = parseLenientJson(text);
  const change = firstChange(text);
  if (change !== null) throw new CasError({ code: "NOT_STORABLE", ...change });
  return value;
}

/**
 * The same without the rule that nothing is changed: for the messages of a server, of which we read a few members, and
 * whose ids may be any number.
 */
export function parseLenientJson(text: string): JsonValue {
  if (text.length > SHORT) {
    const excess = excessIn(text);
    if (excess !== null) throw new CasError({ code: "NOT_STORABLE", path: "", reason: excess });
  }
  return JSON.parse(text) as JsonValue;
}

const [QUOTE, BACKSLASH, COMMA, SPACE] = [0x22, 0x5c, 0x2c, 0x20];
const OPENING: ReadonlySet<number> = new Set([0x5b, 0x7b]);
const CLOSING: ReadonlySet<number> = new Set([0x5d, 0x7d]);

/** Counts elements and members: one per comma, and one per container that is not empty. */
function excessIn(text: string): string | null {
  let [values, depth, isFirst] = [1, 0, false];
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    if (unit <= SPACE) continue;
    const isClosing = CLOSING.has(unit);
    if (unit === COMMA || (isFirst && !isClosing)) values += 1;
    isFirst = OPENING.has(unit);
    if (isFirst) depth += 1;
    if (isClosing) depth -= 1;
    if (values > MAX_VALUES) return `it has more than ${MAX_VALUES} values`;
    if (depth > DEEPEST) return `it is nested deeper than ${DEEPEST} levels`;
    if (unit === QUOTE) at = endOfString(text, at + 1);
  }
  return null;
}

/** Where the quote stands that ends the string. */
function endOfString(text: string, from: number): number {
  for (let at = from; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    if (unit === BACKSLASH) at += 1;
    else if (unit === QUOTE) return at;
  }
  return text.length;
}

/** A container that is open where the scan is. */
type Open = {
  /** The keys of an object so far; `null`: a list. */
  readonly keys: Set<string> | null;
  /** Of the value that is being read: its key, or its index. */
  at: string | number;
  /** Whether the next string of an object is a key. */
  expectsKey: boolean;
};

type Change = { readonly path: string; readonly reason: string };

// A pattern for the complete string would overflow the stack on a long one.
const TOKEN = /["{}[\],]|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

/** The first thing that parsing would change in a valid JSON text; one pass. */
function firstChange(text: string): Change | null {
  const open: Open[] = [];
  const place = (): string => pointer(open.map(({ at }) => at));
  const tokens = new RegExp(TOKEN);
  for (let match = tokens.exec(text); match !== null; match = tokens.exec(text)) {
    const [token] = match;
    const inner = open.at(-1);
    if (token === "{") open.push({ keys: new Set(), at: "", expectsKey: true });
    else if (token === "[") open.push({ keys: null, at: 0, expectsKey: false });
    else if (token === "}" || token === "]") open.pop();
    else if (token === ",") toNext(inner);
    else if (token === '"') {
      const end = endOfString(text, match.index + 1);
      tokens.lastIndex = end + 1;
      if (inner?.expectsKey === true && isRepeated(inner, text.slice(match.index, end + 1)))
        return { path: place(), reason: `the key ${JSON.stringify(inner.at)} appears twice` };
    } else if (isInexact(token))
      return { path: place(), reason: `the number ${token} cannot be held exactly; write it as a string` };
  }
  return null;
}

function toNext(inner: Open | undefined): void {
  if (inner === undefined) return;
  if (inner.keys === null) inner.at = Number(inner.at) + 1;
  else inner.expectsKey = true;
}

/** Enters the key, as it stands in quotes. */
function isRepeated(object: Open, quoted: string): boolean {
  const key = quoted.includes("\\") ? String(JSON.parse(quoted)) : quoted.slice(1, -1);
  object.at = key;
  object.expectsKey = false;
  if (object.keys?.has(key) === true) return true;
  object.keys?.add(key);
  return false;
}

/** A whole number that becomes another one, one beyond all doubles, and a small one that becomes 0. */
function isInexact(token: string): boolean {
  const number = Number(token);
  if (!Number.isFinite(number)) return true;
  if (number === 0) return /^-?[0.]*[1-9]/.test(token);
  const [, whole] = /^(-?\d{16,})(?:\.\d+)?$/.exec(token) ?? [];
  return whole !== undefined && BigInt(whole) !== BigInt(Number(whole));
}
