import type { SchemaProblem } from "../fault/index.js";
import { compilePattern, PatternError } from "../pattern/index.js";
import { entriesOf, keyword, type SchemaObject } from "../schema/index.js";
import { escapeSegment } from "../storable/index.js";

/** Patterns that are no regular expressions, or none that can be matched without risk. */
export function patternProblems(path: string, schema: SchemaObject): readonly SchemaProblem[] {
  const pattern = keyword(schema, "pattern");
  return [
    ...(typeof pattern === "string" ? problemOf(`${path}/pattern`, pattern) : []),
    ...entriesOf(keyword(schema, "patternProperties")).flatMap(([key]) =>
      problemOf(`${path}/patternProperties/${escapeSegment(key)}`, key),
    ),
  ];
}

function problemOf(path: string, pattern: string): readonly SchemaProblem[] {
  try {
    compilePattern(pattern);
    return [];
  } catch (error) {
    if (!(error instanceof PatternError)) throw error;
    return [{ path, message: `pattern ${JSON.stringify(pattern)} ${error.message}`, suggestion: null }];
  }
}
