import { Composer, type CST, type Document, Lexer, Parser } from "yaml";

export type ParsedDocument = Document.Parsed;

/** The stack of yaml's parser holds the document and, on top, one scalar or key besides the collections. */
const STACK_SLACK = 3;

export type Tokens =
  | { readonly kind: "tokens"; readonly tokens: readonly CST.Token[] }
  | { readonly kind: "too-deep"; readonly offset: number };

/**
 * The concrete syntax of `text`, given up as soon as it nests deeper than `depth`: this stage is iterative,
 * the ones after it are recursive and would overflow the stack. The exact depth is checked on the result.
 */
export function tokenize(text: string, depth: number): Tokens {
  const parser = new Parser();
  const tokens: CST.Token[] = [];
  for (const lexeme of new Lexer().lex(text)) {
    for (const token of parser.next(lexeme)) tokens.push(token);
    if (parser.stack.length > depth + STACK_SLACK) return { kind: "too-deep", offset: parser.offset };
  }
  for (const token of parser.end()) tokens.push(token);
  return { kind: "tokens", tokens };
}

/** The first two documents: one is wanted, a second one is already a mistake. */
export function composeDocuments(tokens: readonly CST.Token[], length: number): readonly ParsedDocument[] {
  // Duplicate keys are found by our own walk in linear time; yaml compares every key with every other.
  const composer = new Composer({ prettyErrors: false, uniqueKeys: false, resolveKnownTags: false });
  const documents: ParsedDocument[] = [];
  for (const document of composer.compose(tokens, true, length)) {
    documents.push(document);
    if (documents.length === 2) break;
  }
  return documents;
}
