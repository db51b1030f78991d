import type { JsonValue } from "@uncaged/json-cas";
import { err, LIMITS, ok, type Problem, type Result } from "@uncaged/workflow-protocol";
import { CUT, lineEnd, mistakesIn } from "@uncaged/workflow-util";
import {
  Composer,
  type CST,
  type Document,
  isAlias,
  isMap,
  isNode,
  isScalar,
  isSeq,
  Lexer,
  type Node,
  Parser,
  type Scalar,
  type YAMLMap,
  type YAMLSeq,
} from "yaml";
import { below, type Position, quote, sortProblems } from "../shape.js";
import { createLines, createLocate, offsetOf } from "./locate.js";
import type { IsCut, LocatedYaml } from "./parse.js";

type ParsedDocument = Document.Parsed;

/** The stack of yaml's parser holds the document and, on top, one scalar or key besides the collections. */
const STACK_SLACK = 3;

/**
 * Tokens of the syntax, without blanks and comments. Each takes half a kilobyte while parsing: a MiB of `[a,a,a`
 * would be 600 MB and seconds, and is not a workflow.
 */
const MOST_LEXEMES = 100_000;

/** Blanks, line ends, comments, and the mark that the lexer puts before a text. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the mark is one
const UNCOUNTED = /^[\s#\u001f]/;

type Tokens =
  | { readonly kind: "tokens"; readonly tokens: readonly CST.Token[] }
  | { readonly kind: "too-deep" | "too-many"; readonly offset: number };

/**
 * The concrete syntax of `text`, aborted as soon as it nests deeper than `depth`: this stage is iterative, the
 * later ones are recursive and would overflow the stack. The exact depth is checked on the result. Also aborted if
 * it has more tokens than any person writes.
 */
function tokenize(text: string, depth: number): Tokens {
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
function composeDocuments(tokens: readonly CST.Token[], length: number): readonly ParsedDocument[] {
  // Duplicate keys are found by our own walk in linear time; yaml compares every key with every other.
  const composer = new Composer({ prettyErrors: false, uniqueKeys: false, resolveKnownTags: false });
  const documents: ParsedDocument[] = [];
  for (const document of composer.compose(tokens, true, length)) {
    documents.push(document);
    if (documents.length === 2) break;
  }
  return documents;
}

type Lines = (offset: number) => Position;

// The first ones are enough.
const SHOWN = 20;

function problemAt(lines: Lines, offset: number, message: string): Problem {
  return {
    severity: "error",
    code: "syntax",
    ...lines(offset),
    path: "",
    message,
    suggestion: null,
    also: [],
  };
}

/** What the yaml library refuses or warns about. */
function syntaxProblems(
  { errors, warnings }: ParsedDocument,
  text: string,
  lines: Lines,
): readonly Problem[] {
  return mistakesIn(errors.length > 0 ? errors : warnings, text)
    .map(({ offset, message, suggestion }) => ({ ...problemAt(lines, offset, message), suggestion }))
    .slice(0, SHOWN);
}

/** `%YAML 1.1` would change what `yes` means; `%TAG` serves custom tags only. */
function directiveProblems(tokens: readonly CST.Token[], lines: Lines): readonly Problem[] {
  return tokens
    .flatMap((token) => (token.type === "directive" ? token : []))
    .filter(({ source }) => !/^%YAML\s+1\.2\s*$/.test(source))
    .slice(0, SHOWN)
    .map(({ offset, source }) =>
      problemAt(lines, offset, `the directive ${source.split(/\s/)[0]} is not supported`),
    );
}

/** Raw control characters have no place in YAML, and none on a terminal that shows an error. */
function controlCharacterProblem(text: string, lines: Lines): Problem | null {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this finds
  const at = text.search(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/);
  if (at === -1) return null;
  const code = text.charCodeAt(at).toString(16).toUpperCase().padStart(4, "0");
  return problemAt(lines, at, `the control character U+${code} is not allowed, write it as "\\u${code}"`);
}

const GIVEN_UP = {
  "too-deep": `nested deeper than ${LIMITS.depth} levels`,
  "too-many": `the document has more than ${MOST_LEXEMES} words and marks`,
} as const;

/** `parseYamlDocument`, once yaml is loaded. */
export function parseText(
  text: string,
  file: string,
  byteLimit: number,
  isCut: IsCut,
): Result<LocatedYaml, readonly Problem[]> {
  const size = Buffer.byteLength(text);
  if (size > byteLimit) return err([unplaced(`the text is ${size} bytes, the limit is ${byteLimit}`)]);
  const body = text.startsWith("\ufeff") ? text.slice(1) : text;
  const lines = createLines(body);
  const control = controlCharacterProblem(body, lines);
  if (control !== null) return err([control]);
  const syntax = tokenize(body, LIMITS.depth);
  if (syntax.kind !== "tokens") return err([problemAt(lines, syntax.offset, GIVEN_UP[syntax.kind])]);
  return read(body, file, lines, syntax.tokens, isCut);
}

function read(
  body: string,
  file: string,
  lines: Lines,
  tokens: readonly CST.Token[],
  isCut: IsCut,
): Result<LocatedYaml, readonly Problem[]> {
  const [document, second] = composeDocuments(tokens, body.length);
  const problems = [
    ...directiveProblems(tokens, lines),
    ...(document === undefined ? [] : documentProblems(document, body, lines, isCut)),
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
  lines: Lines,
  isCut: IsCut,
): readonly Problem[] {
  const syntax = syntaxProblems(document, body, lines);
  return document.errors.length > 0
    ? syntax
    : [...syntax, ...inspectNode(document.contents, body, lines, LIMITS.depth, isCut)];
}

function secondDocument(document: ParsedDocument, lines: Lines): Problem {
  return problemAt(lines, document.range[0], "a second document starts here; one file holds one document");
}

// After `inspectNode` the tree holds maps with text keys, lists and JSON scalars only.
function plainValue(document: ParsedDocument | undefined): JsonValue {
  return (document?.toJS({ maxAliasCount: 0 }) ?? null) as JsonValue;
}

function unplaced(message: string): Problem {
  return { ...problemAt(() => ({ line: 1, column: 1 }), 0, message), line: null, column: null };
}

const LONGEST_SHOWN = 80;

type Walk = {
  readonly text: string;
  readonly lines: Lines;
  readonly depth: number;
  readonly isCut: IsCut;
  readonly problems: Problem[];
};

/** What YAML allows and our documents do not: everything that is not plain JSON, or that reads otherwise than it looks. */
function inspectNode(
  root: Node | null,
  text: string,
  lines: Lines,
  depth: number,
  isCut: IsCut,
): readonly Problem[] {
  const walk: Walk = { text, lines, depth, isCut, problems: [] };
  visit(walk, root, "", 0, false);
  return walk.problems;
}

/** `inFlow`: between `[ ]` or `{ }`. */
function visit(walk: Walk, node: unknown, path: string, level: number, inFlow: boolean): void {
  if (!isNode(node)) return;
  if (isAlias(node)) add(walk, node, path, `aliases (*${node.source}) are not allowed, repeat the value`);
  else if (node.anchor !== undefined) addAnchor(walk, node, node.anchor, path);
  if (isScalar(node)) visitScalar(walk, node, path, inFlow);
  else if (isMap(node) || isSeq(node)) visitCollection(walk, node, path, level, inFlow || node.flow === true);
}

function visitCollection(
  walk: Walk,
  node: YAMLMap | YAMLSeq,
  path: string,
  level: number,
  inFlow: boolean,
): void {
  if (level >= walk.depth) add(walk, node, path, `nested deeper than ${walk.depth} levels`);
  else if (isMap(node)) visitMap(walk, node, path, level, inFlow);
  else
    for (const [index, item] of node.items.entries())
      visit(walk, item, below(path, index), level + 1, inFlow);
}

function visitMap(walk: Walk, map: YAMLMap, path: string, level: number, inFlow: boolean): void {
  const first = new Map<string, Scalar>();
  for (const { key, value } of map.items) {
    const name = keyOf(walk, key, map, path);
    if (name === null) continue;
    const earlier = first.get(name);
    if (earlier !== undefined) {
      const { line } = walk.lines(offsetOf(earlier));
      add(walk, key, below(path, name), `duplicate key ${quote(name)}, first on line ${line}`);
    } else if (isScalar(key)) first.set(name, key);
    visit(walk, value, below(path, name), level + 1, inFlow);
  }
}

function keyOf(walk: Walk, key: unknown, map: YAMLMap, path: string): string | null {
  if (!isScalar(key)) {
    const isTemplate = isMap(key) && walk.text.startsWith("{{", offsetOf(map));
    const sentence = isTemplate
      ? "{{ }} is a map in YAML: an expression is written without it, any other text in quotes"
      : "a key must be text, found a list, a map or an alias";
    add(walk, isNode(key) ? key : map, path, sentence);
    return null;
  }
  if (key.anchor !== undefined) addAnchor(walk, key, key.anchor, path);
  if (typeof key.value !== "string") {
    add(walk, key, path, `the key ${key.source ?? String(key.value)} must be text; quote it`);
    return null;
  }
  if (key.value === "<<" && key.type === "PLAIN") {
    add(walk, key, path, "merge keys (<<) are not allowed, repeat the entries");
    return null;
  }
  return key.value;
}

function visitScalar(walk: Walk, scalar: Scalar, path: string, inFlow: boolean): void {
  const { value } = scalar;
  if (scalar.type === "PLAIN" && (typeof value === "string" || scalar.source === ""))
    visitPlain(walk, scalar, path, inFlow);
  if (typeof value !== "number") return;
  const source = scalar.source ?? String(value);
  if (!Number.isFinite(value)) add(walk, scalar, path, `${source} is not a JSON number`);
  else if (!Number.isSafeInteger(value) && /^[-+]?\d+$/.test(source))
    add(walk, scalar, path, `the number ${source} is too large to be kept exactly; quote it`);
}

/** A text without quotes, or none where the text begins with a `#`. */
function visitPlain(walk: Walk, scalar: Scalar, path: string, inFlow: boolean): void {
  const text = typeof scalar.value === "string" ? scalar.value : "";
  const [start = 0, end = 0] = scalar.range ?? [];
  const rest = walk.text.slice(end, lineEnd(walk.text, end));
  const comment = rest.trim();
  if (!/^\s*#/.test(rest) || !walk.isCut(path, text, comment)) return;
  // Between brackets it is unknown where the text was to end.
  const meant = walk.text.slice(start, end + rest.length).trim();
  const isShown = !inFlow && !meant.includes("\n") && meant.length <= LONGEST_SHOWN;
  addAt(walk, end + rest.indexOf("#"), path, CUT, isShown ? JSON.stringify(meant) : null);
}

/** A node begins after its anchor. */
function addAnchor(walk: Walk, node: Node, anchor: string, path: string): void {
  const at = walk.text.lastIndexOf(`&${anchor}`, offsetOf(node));
  const message = `anchors (&${anchor}) are not allowed; a text that starts with & must be quoted`;
  addAt(walk, at === -1 ? offsetOf(node) : at, path, message);
}

function add(walk: Walk, node: unknown, path: string, message: string): void {
  addAt(walk, offsetOf(node), path, message);
}

function addAt(
  { lines, problems }: Walk,
  offset: number,
  path: string,
  message: string,
  suggestion: string | null = null,
): void {
  problems.push({ ...problemAt(lines, offset, message), path, suggestion });
}
