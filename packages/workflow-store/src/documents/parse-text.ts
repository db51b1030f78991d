import type { JsonValue } from "@uncaged/json-cas";
import { err, LIMITS, ok, type Problem, type Result } from "@uncaged/workflow-protocol";
import type { CST } from "yaml";
import { type Position, sortProblems } from "../shape/index.js";
import { composeDocuments, MOST_LEXEMES, type ParsedDocument, tokenize } from "./compose.js";
import { inspectNode } from "./inspect.js";
import { createLines } from "./lines.js";
import { createLocate } from "./locate.js";
import { controlCharacterProblem, directiveProblems, problemAt, syntaxProblems } from "./syntax.js";
import type { LocatedYaml } from "./types.js";

const GIVEN_UP = {
  "too-deep": `nested deeper than ${LIMITS.depth} levels`,
  "too-many": `the document has more than ${MOST_LEXEMES} words and marks`,
} as const;

/** `parseYamlDocument`, once yaml is loaded. */
export function parseText(
  text: string,
  file: string,
  byteLimit: number,
): Result<LocatedYaml, readonly Problem[]> {
  const size = Buffer.byteLength(text);
  if (size > byteLimit) return err([unplaced(`the text is ${size} bytes, the limit is ${byteLimit}`)]);
  const body = text.startsWith("\ufeff") ? text.slice(1) : text;
  const lines = createLines(body);
  const control = controlCharacterProblem(body, lines);
  if (control !== null) return err([control]);
  const syntax = tokenize(body, LIMITS.depth);
  if (syntax.kind !== "tokens") return err([problemAt(lines, syntax.offset, GIVEN_UP[syntax.kind])]);
  return read(body, file, lines, syntax.tokens);
}

function read(
  body: string,
  file: string,
  lines: (offset: number) => Position,
  tokens: readonly CST.Token[],
): Result<LocatedYaml, readonly Problem[]> {
  const [document, second] = composeDocuments(tokens, body.length);
  const problems = [
    ...directiveProblems(tokens, lines),
    ...(document === undefined ? [] : documentProblems(document, body, lines)),
    ...(second === undefined ? [] : [secondDocument(second, lines)]),
  ];
  if (problems.length > 0) return err(sortProblems(problems));
  const root = document?.contents ?? null;
  return ok({ file, value: plainValue(document), locate: createLocate(root, lines, body) });
}

/** Where the syntax is broken, the tree is a guess: its other faults are not worth telling. */
function documentProblems(
  document: ParsedDocument,
  body: string,
  lines: (offset: number) => Position,
): readonly Problem[] {
  const syntax = syntaxProblems(document, body, lines);
  return document.errors.length > 0
    ? syntax
    : [...syntax, ...inspectNode(document.contents, lines, LIMITS.depth)];
}

function secondDocument(document: ParsedDocument, lines: (offset: number) => Position): Problem {
  return problemAt(lines, document.range[0], "a second document starts here; one file holds one document");
}

// After `inspectNode` the tree holds maps with text keys, lists and JSON scalars only.
function plainValue(document: ParsedDocument | undefined): JsonValue {
  return (document?.toJS({ maxAliasCount: 0 }) ?? null) as JsonValue;
}

function unplaced(message: string): Problem {
  return { severity: "error", code: "syntax", line: null, column: null, path: "", message, suggestion: null };
}
