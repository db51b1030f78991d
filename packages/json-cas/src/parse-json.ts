import { MAX_VALUES } from "@uncaged/json-schema";
import { CasError } from "./fault.js";
import type { JsonValue } from "./node.js";

/** A text of so many characters holds neither too many values nor too deep ones for anybody. */
const SHORT = 1000;

/** Far below where a recursive program ends, far above what can be stored. */
const DEEPEST = 1000;

/**
 * `JSON.parse` for text from elsewhere: what would take many times its size in memory, or end a recursive program, is
 * refused before it is built. Throws `NOT_STORABLE` then, and `SyntaxError` as `JSON.parse` does.
 */
export function parseJson(text: string): JsonValue {
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
