import type { SchemaProblem } from "../fault/index.js";
import { compilePattern, PatternError } from "../pattern/index.js";
import { entriesOf, isObject, keyword, type SchemaObject, type Subschema } from "../schema/index.js";
import { escapeSegment } from "../storable/index.js";
import { MOST_PROBLEMS } from "./references.js";

/**
 * States of all patterns of a schema together, of which one may have 10,000: whoever checks values keeps them, and a
 * state takes some 100 bytes. A usual pattern has ten.
 */
const MOST_STATES = 200_000;

/** Patterns that are no regular expressions, or none that can be matched without risk, alone or together. */
export function patternProblems(places: readonly Subschema[]): readonly SchemaProblem[] {
  const problems: SchemaProblem[] = [];
  const seen = new Set<string>();
  let states = 0;
  for (const { path, pattern } of patternsIn(places)) {
    const found = seen.has(pattern) ? 0 : compiled(path, pattern);
    seen.add(pattern);
    if (typeof found === "number") states += found;
    else problems.push(found);
    if (states > MOST_STATES) {
      const message = `the patterns up to here take more than ${MOST_STATES} states together`;
      return [...problems, { path, message, suggestion: null }];
    }
    if (problems.length >= MOST_PROBLEMS) break;
  }
  return problems;
}

type Place = { readonly path: string; readonly pattern: string };

function* patternsIn(places: readonly Subschema[]): Generator<Place> {
  for (const { path, schema } of places) if (isObject(schema)) yield* patternsOf(path, schema);
}

function* patternsOf(path: string, schema: SchemaObject): Generator<Place> {
  const pattern = keyword(schema, "pattern");
  if (typeof pattern === "string") yield { path: `${path}/pattern`, pattern };
  for (const [key] of entriesOf(keyword(schema, "patternProperties")))
    yield { path: `${path}/patternProperties/${escapeSegment(key)}`, pattern: key };
}

/** How many states it has, or what is wrong with it. */
function compiled(path: string, pattern: string): number | SchemaProblem {
  try {
    return compilePattern(pattern).states;
  } catch (error) {
    if (!(error instanceof PatternError)) throw error;
    return { path, message: `pattern ${JSON.stringify(pattern)} ${error.message}`, suggestion: null };
  }
}
