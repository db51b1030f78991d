import { LIMITS } from "@uncaged/workflow-protocol";
import { Composer, type CST, type Document, Lexer, LineCounter, Parser } from "yaml";
import { mistakesIn } from "../yaml-mistakes.js";
import { commentFaults } from "./comments.js";

type YamlDocument = Document.Parsed;

/** A fault of the syntax at an offset. */
export type YamlFault = { readonly offset: number; readonly message: string };

type YamlText = {
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
  return { documents, faults: faultsOf(text, tokens, documents), lineAt };
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

/** The faults of a text as YAML, each before those that follow from it. */
function faultsOf(
  text: string,
  tokens: readonly CST.Token[],
  documents: readonly YamlDocument[],
): readonly YamlFault[] {
  const strange = strangeCharacter(text);
  if (strange !== null) return [strange];
  // A text that ends too early leaves a rest that is no YAML.
  const cut = documents.flatMap((document) => commentFaults(document.contents, text));
  if (cut.length > 0) return cut;
  const directives = tokens
    .filter((token) => token.type === "directive")
    .map(({ offset }) => ({ offset, message: "YAML directives (%) are not allowed" }));
  const errors = documents.flatMap((document) => document.errors);
  const mistakes = mistakesIn(errors, text).map(({ offset, message, suggestion }) => ({
    offset,
    message: suggestion === null ? message : `${message}, did you mean \`${suggestion}\`?`,
  }));
  const [, second] = documents;
  const several =
    second === undefined ? [] : [{ offset: second.range[0], message: "a second document starts here" }];
  return [...directives, ...mistakes, ...several];
}

/** Control characters have no place in YAML, and U+FFFD stands for bytes that are not UTF-8. */
function strangeCharacter(text: string): YamlFault | null {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this finds
  const offset = text.search(/[\u0000-\u0008\u000b-\u001f\u007f-\u0084\u0086-\u009f\ufffd]/);
  if (offset === -1) return null;
  const code = text.charCodeAt(offset).toString(16).toUpperCase().padStart(4, "0");
  const message =
    code === "FFFD"
      ? "the character U+FFFD replaces bytes that are not UTF-8, write the text as UTF-8"
      : `the control character U+${code} is not allowed, write what was meant in letters`;
  return { offset, message };
}
