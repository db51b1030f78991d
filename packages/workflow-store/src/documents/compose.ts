import { Composer, type CST, type Document, Lexer, Parser } from "yaml";

export type ParsedDocument = Document.Parsed;

/** The stack of yaml's parser holds the document and, on top, one scalar or key besides the collections. */
const STACK_SLACK = 3;

/**
 * Words and marks of the syntax, blanks and comments not counted. Each takes half a kilobyte on its way to a value:
 * a MiB of `[a,a,a` would be 600 MB and seconds, and is no workflow.
 */
export const MOST_LEXEMES = 100_000;

/** Blanks, line ends, comments, and the mark that the lexer puts before a text. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the mark is one
const UNCOUNTED = /^[\s#\u001f]/;

export type Tokens =
  | { readonly kind: "tokens"; readonly tokens: readonly CST.Token[] }
  | { readonly kind: "too-deep" | "too-many"; readonly offset: number };

/**
 * The concrete syntax of `text`, given up as soon as it nests deeper than `depth`: this stage is iterative,
 * the ones after it are recursive and would overflow the stack. The exact depth is checked on the result.
 * Given up too where it has more parts than anybody writes.
 */
export function tokenize(text: string, depth: number): Tokens {
  const parser = new Parser();
  const tokens: CST.Token[] = [];
  let count = 0;
  for (const lexeme of new Lexer().lex(text)) {
    for (const token of parser.next(lexeme)) tokens.push(token);
    if (!UNCOUNTED.test(lexeme)) count += 1;
    if (count > MOST_LEXEMES) return { kind: "too-many", offset: parser.offset };
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
