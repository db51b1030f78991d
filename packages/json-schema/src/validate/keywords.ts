import { isObject, type JsonValue } from "../json.js";
import { FORMATS } from "./formats.js";
import type { Scope } from "./validate.js";

// Two JSON values are equal when their canonical texts are: 1.0 is 1, -0 is 0, and key order does not matter.

/** Characters that are written and compared in one step. */
const TEXT_PER_STEP = 16;

/** A primitive is its own key; of what contains others the canonical text is, behind a mark that no text begins with. */
export function keyOf(value: JsonValue, spend: Scope["spend"]): JsonValue {
  if (typeof value !== "object" || value === null) return value === 0 ? 0 : value;
  const text = canonical(value);
  spend(1 + Math.floor(text.length / TEXT_PER_STEP));
  return `${CONTAINER}${text}`;
}

/** No text that is JSON holds a lone surrogate, so none is taken for a container. */
const CONTAINER = "\ud800";

/** JSON with the keys in order. */
function canonical(value: JsonValue): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (!isObject(value)) return JSON.stringify(value);
  const members = Object.keys(value)
    .sort()
    .map((key) => `${JSON.stringify(key)}:${canonical(value[key] ?? null)}`);
  return `{${members.join(",")}}`;
}

/** Are all items different from each other? */
export function allDiffer(items: readonly JsonValue[], spend: Scope["spend"]): boolean {
  const keys = new Set<JsonValue>();
  for (const item of items) {
    spend();
    const key = keyOf(item, spend);
    if (keys.has(key)) return false;
    keys.add(key);
  }
  return true;
}

/** The formats of JSON Schema, all of which are checked. */
export const FORMAT_NAMES: readonly string[] = [...FORMATS.keys()];

/** A format of your own. */
export type CustomFormat = {
  readonly test: (text: string) => boolean;
  /** What a text of this format is: `a hash of a node`. */
  readonly words: string;
};

/** By name; one that is called like a format of JSON Schema takes its place. */
export type Formats = ReadonlyMap<string, CustomFormat>;

/** Does the text have the format? An unknown format (in a foreign schema) is an annotation. */
export function hasFormat(name: string, text: string, formats: Formats): boolean {
  const test = formats.get(name)?.test ?? FORMATS.get(name);
  if (test === undefined) return true;
  try {
    return test(text);
  } catch {
    // Some of the library's expressions run out of stack on very long texts, and no such text is an address or a date.
    return false;
  }
}

/** A finite number as `digits × 10^exponent`, exactly as JavaScript prints it. */
type Decimal = { readonly digits: bigint; readonly exponent: number };

/** Exact in decimal: 0.0075 is a multiple of 0.0001, though no division of floats says so. */
export function isMultipleOf(value: number, divisor: number): boolean {
  const left = decimal(value);
  const right = decimal(divisor);
  const exponent = Math.min(left.exponent, right.exponent);
  const unit = scaled(right, exponent);
  return unit !== 0n && scaled(left, exponent) % unit === 0n;
}

function decimal(value: number): Decimal {
  const [mantissa = "0", power = "0"] = String(value).split("e");
  const [whole = "0", fraction = ""] = mantissa.split(".");
  return { digits: BigInt(whole + fraction), exponent: Number(power) - fraction.length };
}

function scaled(value: Decimal, exponent: number): bigint {
  return value.digits * 10n ** BigInt(value.exponent - exponent);
}
