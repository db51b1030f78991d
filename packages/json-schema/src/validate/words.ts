import { isObject, type JsonValue } from "../json.js";
import { keyword, listAt, listOf } from "../schema.js";
import type { Formats } from "./keywords.js";

const LONGEST = 80;
const MANY = 8;

/** A value in words and cut short: `"yes"`, `an object with a, b`, `an array of 3 items`. */
export function valueWords(value: JsonValue): string {
  if (Array.isArray(value))
    return value.length === 0 ? "an empty array" : `an array of ${count(value.length, "item")}`;
  if (!isObject(value)) return jsonWords(value);
  const keys: string[] = [];
  let length = 0;
  for (const key in value) {
    keys.push(key.slice(0, LONGEST + 1));
    length += key.length + 2;
    if (length > LONGEST + 2) break;
  }
  return keys.length === 0 ? "an empty object" : `an object with ${cut(keys.join(", "))}`;
}

/** JSON on one line, cut short. */
export function jsonWords(value: JsonValue): string {
  if (typeof value === "string") return cut(JSON.stringify(value.slice(0, LONGEST + 1)));
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const known = WORDS.get(value) ?? cut(JSON.stringify(value));
  WORDS.set(value, known);
  return known;
}

/** A large constant of a schema is said once, not with every violation. */
const WORDS = new WeakMap<object, string>();

function cut(text: string): string {
  return text.length <= LONGEST ? text : `${text.slice(0, LONGEST)}…`;
}

function count(many: number, noun: string): string {
  if (many === 1) return `1 ${noun}`;
  return noun.endsWith("y") ? `${many} ${noun.slice(0, -1)}ies` : `${many} ${noun}s`;
}

function oneOfWords(values: readonly JsonValue[]): string {
  if (values.length === 0) return "nothing at all";
  if (values.length === 1) return jsonWords(values[0] ?? null);
  const shown = values.slice(0, MANY).map(jsonWords).join(", ");
  return `one of ${shown}${values.length > MANY ? `, … (${values.length} in all)` : ""}`;
}

function typeWords(type: JsonValue | undefined): string {
  const names = Array.isArray(type) ? type : [type];
  return names.map(String).join(" or ");
}

/** What a schema asks for, as far as one short phrase can say it. */
export function schemaWords(schema: JsonValue, formats: Formats): string {
  if (!isObject(schema)) return schema === false ? "nothing" : "any value";
  const options = keyword(schema, "enum");
  const constant = keyword(schema, "const");
  const type = keyword(schema, "type");
  const branches = [...listAt(schema, "anyOf"), ...listAt(schema, "oneOf")].slice(0, MANY);
  if (constant !== undefined) return jsonWords(constant);
  if (options !== undefined) return oneOfWords(listOf(options));
  const format = formats.get(String(keyword(schema, "format")));
  if (format !== undefined) return format.words;
  if (type !== undefined) return typeWords(type);
  if (branches.length > 0)
    return [...new Set(branches.map((branch) => schemaWords(branch, formats)))].join(" or ");
  return "a value";
}

type Words = {
  readonly expected: (argument: JsonValue, formats: Formats) => string;
  readonly got: (value: JsonValue) => string;
};

function words(expected: Words["expected"], got: (value: JsonValue) => string = valueWords): Words {
  return { expected, got };
}

function length(value: JsonValue): string {
  let characters = 0;
  for (const _ of String(value)) characters += 1;
  return `${valueWords(value)} (${count(characters, "character")})`;
}

function size(value: JsonValue): string {
  return isObject(value) ? count(Object.keys(value).length, "property") : count(listOf(value).length, "item");
}

const FORMAT_WORDS: ReadonlyMap<string, string> = new Map([
  ["date", "a date like 2025-12-31"],
  ["date-time", "a date and time like 2025-12-31T23:59:59Z"],
  ["time", "a time like 23:59:59Z"],
]);

function formatWords(name: JsonValue, formats: Formats): string {
  return formats.get(String(name))?.words ?? FORMAT_WORDS.get(String(name)) ?? `a valid ${name}`;
}

/** Keywords that say one thing about one value, in the order in which they are reported. */
export const PLAIN_KEYWORDS: ReadonlyMap<string, Words> = new Map([
  ["type", words(typeWords)],
  ["const", words(jsonWords)],
  ["enum", words((options) => oneOfWords(listOf(options)))],
  ["multipleOf", words((unit) => `a multiple of ${unit}`)],
  ["maximum", words((limit) => `at most ${limit}`)],
  ["exclusiveMaximum", words((limit) => `less than ${limit}`)],
  ["minimum", words((limit) => `at least ${limit}`)],
  ["exclusiveMinimum", words((limit) => `more than ${limit}`)],
  ["maxLength", words((limit) => `at most ${count(Number(limit), "character")}`, length)],
  ["minLength", words((limit) => `at least ${count(Number(limit), "character")}`, length)],
  ["pattern", words((pattern) => `text that matches ${pattern}`)],
  ["format", words(formatWords)],
  ["maxItems", words((limit) => `at most ${count(Number(limit), "item")}`, size)],
  ["minItems", words((limit) => `at least ${count(Number(limit), "item")}`, size)],
  [
    "uniqueItems",
    words(
      () => "items that all differ",
      () => "equal items",
    ),
  ],
  ["maxProperties", words((limit) => `at most ${count(Number(limit), "property")}`, size)],
  ["minProperties", words((limit) => `at least ${count(Number(limit), "property")}`, size)],
]);
