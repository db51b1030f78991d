import { err, ok, type Result } from "@uncaged/workflow-protocol";
import { EVALUATION_LIMITS, type Jsonata, sentenceOf } from "../engine/index.js";
import type { Expression } from "./types.js";

/** Characters of one expression. */
export const EXPRESSION_LIMIT = 16 * 1024;

/** Nodes of a syntax tree that the parser may have to make. */
const NODE_LIMIT = 2 ** 20;

/** Parses within bounds; the error is a sentence. */
export function parseExpression(jsonata: Jsonata, text: string): Result<Expression, string> {
  const refusal = refusalOf(text);
  if (refusal !== null) return err(refusal);
  try {
    const compiled = jsonata(text, EVALUATION_LIMITS);
    return ok({ compiled, ast: compiled.ast() });
  } catch (error) {
    const sentence = sentenceOf(error) ?? syntaxErrorOf(error);
    if (sentence === null) throw error;
    return err(sentence);
  }
}

// The parser copies the left side of every ?? and ?:, so nested ones double the tree again and again. Counted in the
// text, strings and all: an upper bound.
function refusalOf(text: string): string | null {
  if (text.trim() === "") return "it is empty";
  if (text.length > EXPRESSION_LIMIT) {
    return `it has ${text.length} characters, the limit is ${EXPRESSION_LIMIT}`;
  }
  const copies = text.split(/\?[?:]/).length - 1;
  return text.length * 2 ** copies > NODE_LIMIT ? `it has ${copies} of ?? and ?:, which is too many` : null;
}

// A regex that JavaScript does not read is thrown by the parser as it is.
function syntaxErrorOf(error: unknown): string | null {
  return error instanceof SyntaxError ? error.message : null;
}
