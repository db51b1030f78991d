import type { JsonValue } from "../node/index.js";
import { compilePattern, PatternError } from "../pattern/index.js";
import { listOf } from "../schema/index.js";
import { allDiffer, sameValue } from "./equal.js";
import { hasFormat } from "./formats.js";
import { isMultipleOf } from "./multiple.js";

export type ValueTest = (value: JsonValue) => boolean;

/** From a keyword's argument to its test. */
type Refinement = (argument: JsonValue) => ValueTest;

// The keywords that we test ourselves, because the library's test is wrong somewhere: its `const` and `enum` take
// `{"length": 0}` for `[]`, its `uniqueItems` compares 64-bit hashes, its `multipleOf` has a tolerance of 1e-10,
// its `pattern` backtracks, and its formats are a registry that anybody in the process can change.
const REFINEMENTS: ReadonlyMap<string, Refinement> = new Map<string, Refinement>([
  ["const", (wanted) => (value) => sameValue(value, wanted)],
  ["enum", (options) => (value) => listOf(options).some((option) => sameValue(value, option))],
  ["uniqueItems", (wanted) => (value) => wanted !== true || !Array.isArray(value) || allDiffer(value)],
  ["multipleOf", multipleOf],
  ["pattern", pattern],
  ["format", (name) => (value) => typeof value !== "string" || hasFormat(String(name), value)],
]);

/** The test of a keyword that is ours; `null` for the library's. */
export function refinementOf(keyword: string, argument: JsonValue): ValueTest | null {
  return REFINEMENTS.get(keyword)?.(argument) ?? null;
}

function multipleOf(divisor: JsonValue): ValueTest {
  return (value) => typeof value !== "number" || typeof divisor !== "number" || isMultipleOf(value, divisor);
}

function pattern(source: JsonValue): ValueTest {
  const test = patternTest(String(source));
  return (value) => typeof value !== "string" || test(value);
}

/** A pattern that is none, which only a foreign schema can have, fits nothing. */
export function patternTest(source: string): (text: string) => boolean {
  try {
    return compilePattern(source).test;
  } catch (error) {
    if (error instanceof PatternError) return () => false;
    throw error;
  }
}
