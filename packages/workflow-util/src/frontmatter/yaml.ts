import { LIMITS } from "@uncaged/workflow-protocol";
import { Composer, type CST, type Document, Lexer, LineCounter, Parser } from "yaml";

export type YamlDocument = Document.Parsed;

/** A fault of the syntax at an offset. */
export type YamlFault = { readonly offset: number; readonly message: string };

export type YamlText = {
  readonly documents: readonly YamlDocument[];
  readonly faults: readonly YamlFault[];
  /** Line of an offset, counted from 1. */
  readonly lineAt: (offset: number) => number;
};

/** The parser's stack holds the document and one scalar or key besides the collections. */
const STACK_SLACK = 3;

/**
 * YAML 1.2 (core schema), at most two documents: one is wanted, a second one is already a mistake. Text that nests
 * too deep is rejected before the recursive stage, which would overflow the stack (on node it ends the process).
 */
export function readYaml(text: string): YamlText {
  const counter = new LineCounter();
  counter.addNewLine(0);
  const lineAt = (offset: number): number => counter.linePos(offset).line;
  const tokens: CST.Token[] = [];
  const parser = new Parser(counter.addNewLine);
  for (const lexeme of new Lexer().lex(text)) {
    for (const token of parser.next(lexeme)) tokens.push(token);
    if (parser.stack.length > LIMITS.depth + STACK_SLACK) {
      const message = `it is nested deeper than ${LIMITS.depth} levels`;
      return { documents: [], faults: [{ offset: parser.offset, message }], lineAt };
    }
  }
  for (const token of parser.end()) tokens.push(token);
  const documents = compose(tokens, text.length);
  return { documents, faults: faultsOf(tokens, documents), lineAt };
}

function compose(tokens: readonly CST.Token[], length: number): readonly YamlDocument[] {
  // Our own walk finds duplicate keys in linear time, and judges integers by their exact value.
  const options = { uniqueKeys: false, intAsBigInt: true, resolveKnownTags: false, prettyErrors: false };
  const composer = new Composer(options);
  const documents: YamlDocument[] = [];
  for (const document of composer.compose(tokens, true, length)) {
    documents.push(document);
    if (documents.length === 2) break;
  }
  return documents;
}

const SENTENCES: Readonly<Record<string, string>> = {
  TAB_AS_INDENT: "tabs are not allowed as indentation, use blanks",
};

function faultsOf(tokens: readonly CST.Token[], documents: readonly YamlDocument[]): readonly YamlFault[] {
  const directives = tokens
    .filter((token) => token.type === "directive")
    .map(({ offset }) => ({ offset, message: "YAML directives (%) are not allowed" }));
  const errors = documents
    .flatMap((document) => document.errors)
    .map(({ code, message, pos }) => ({ offset: pos[0], message: SENTENCES[code] ?? lowerFirst(message) }));
  const [, second] = documents;
  const several =
    second === undefined ? [] : [{ offset: second.range[0], message: "a second document starts here" }];
  return [...directives, ...errors, ...several];
}

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}
