import type { JsonValue } from "../node/index.js";
import { isObject, listOf } from "../schema/index.js";
import { count, jsonWords, oneOfWords, typeWords, valueWords } from "./words.js";

type Words = {
  readonly expected: (argument: JsonValue) => string;
  readonly got: (value: JsonValue) => string;
};

function words(
  expected: (argument: JsonValue) => string,
  got: (value: JsonValue) => string = valueWords,
): Words {
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
  ["cas_ref", "a hash of a node (13 characters)"],
  ["date", "a date like 2025-12-31"],
  ["date-time", "a date and time like 2025-12-31T23:59:59Z"],
  ["time", "a time like 23:59:59Z"],
]);

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
  ["format", words((format) => FORMAT_WORDS.get(String(format)) ?? `a valid ${format}`)],
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
