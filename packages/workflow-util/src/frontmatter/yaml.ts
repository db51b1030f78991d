import type { JsonObject, JsonValue } from "@uncaged/json-cas";
import { LIMITS } from "@uncaged/workflow-protocol";
import {
  Composer,
  type CST,
  type Document,
  isAlias,
  isCollection,
  isMap,
  isNode,
  isScalar,
  isSeq,
  Lexer,
  LineCounter,
  type Node,
  type Pair,
  Parser,
  type Scalar,
  visit,
  type YAMLMap,
  type YAMLSeq,
} from "yaml";
import { CUT, mistakesIn } from "../yaml-mistakes.js";

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

type Report = ((node: unknown, message: string) => void) & {
  /** The text that the nodes were read from. */
  readonly text: string;
  readonly faults: YamlFault[];
};

const TOO_DEEP = `it is nested deeper than ${LIMITS.depth} levels`;

/**
 * The tree as a JSON value; `report`ed is everything that is not plain JSON, or that reads otherwise than it looks.
 * Recursive: `readYaml` has refused what would overflow the stack; the exact depth is counted here.
 */
export function plainValue(
  root: Node | null,
  text: string,
): {
  readonly value: JsonValue;
  readonly faults: readonly YamlFault[];
} {
  const faults: YamlFault[] = [];
  const add = (node: unknown, message: string): void => {
    faults.push({ offset: isNode(node) ? (node.range?.[0] ?? 0) : 0, message });
  };
  const report: Report = Object.assign(add, { text, faults });
  return { value: jsonOf(root, report, 1), faults };
}

function jsonOf(node: unknown, report: Report, level: number): JsonValue {
  if (!isNode(node)) return null;
  if (isAlias(node)) {
    report(node, `aliases (*${node.source}) are not allowed, repeat the value`);
    return null;
  }
  if (node.anchor !== undefined) report(node, `anchors (&${node.anchor}) are not allowed`);
  if (node.tag !== undefined) report(node, `tags (${node.tag}) are not allowed`);
  if (isScalar(node)) return scalarOf(node, report);
  if (level > LIMITS.depth) report(node, TOO_DEEP);
  else if (isMap(node)) return objectOf(node, report, level);
  else if (isSeq(node)) return node.items.map((item) => jsonOf(item, report, level + 1));
  return null;
}

function objectOf(map: YAMLMap, report: Report, level: number): JsonObject {
  const entries = new Map<string, JsonValue>();
  for (const pair of map.items) {
    const key = keyOf(pair, map, report);
    if (key === null) continue;
    if (entries.has(key)) report(pair.key, `the key ${JSON.stringify(key)} appears twice`);
    entries.set(key, jsonOf(pair.value, report, level + 1));
  }
  // Makes own properties of all names, `__proto__` too.
  return Object.fromEntries(entries);
}

function keyOf({ key }: Pair, map: YAMLMap, report: Report): string | null {
  const wrong = (message: string): null => {
    report(isNode(key) ? key : map, message);
    return null;
  };
  if (!isScalar(key)) return wrong("a key must be text, found a list, a map, an alias or nothing");
  const text = jsonOf(key, report, 1);
  if (typeof text !== "string") return wrong(`the key ${key.source ?? String(text)} must be text, quote it`);
  if (text === "<<" && key.type === "PLAIN")
    return wrong("merge keys (<<) are not allowed, repeat the entries");
  return text;
}

function scalarOf(scalar: Scalar, report: Report): JsonValue {
  const { value } = scalar;
  const source = scalar.source ?? String(value);
  if (typeof value === "bigint") return integerOf(value, source, scalar, report);
  if (typeof value === "number") {
    if (!Number.isFinite(value)) report(scalar, `${source} is not a number that JSON has`);
    return value;
  }
  if (typeof value === "string") {
    const [start = 0, end = 0] = scalar.range ?? [];
    if (scalar.type === "QUOTE_DOUBLE")
      report.faults.push(...escapeFaults(report.text.slice(start, end), start));
    if (/\p{Surrogate}/u.test(value)) report(scalar, "the text holds half of a surrogate pair");
    return value;
  }
  return typeof value === "boolean" ? value : null;
}

function integerOf(value: bigint, source: string, scalar: Scalar, report: Report): number {
  const number = Number(value);
  if (!Number.isSafeInteger(number))
    report(scalar, `the number ${source} is too large to be kept exactly, quote it`);
  return number;
}

// Models write LaTeX, regular expressions and Windows paths between double quotes, where YAML has other ideas of a
// backslash. The escapes of JSON that make text stay; a line end or a tab stays where it can be meant.

/** Escapes that make text, whatever surrounds them; a backslash before the line end only continues the line. */
const PLAIN: ReadonlySet<string> = new Set(['"', "\\", "/", "\n", "u", "U"]);

/** Commands of TeX that begin like a line end, a tab or a carriage return. */
const TEX: ReadonlySet<string> = new Set(
  `nabla ne neg neq nexists newcommand newline newpage nleq nmid noindent not notin nsubset nsubseteq nu
  tan tanh tau text textbf textit textrm textsf texttt tfrac therefore theta thickapprox thinspace tilde times tiny
  title to top triangle triangleq`.split(/\s+/),
);

/** The faults in a text between double quotes, `source` with both. */
function escapeFaults(source: string, offset: number): readonly YamlFault[] {
  const faults: YamlFault[] = [];
  for (let at = source.indexOf("\\"); at !== -1; at = source.indexOf("\\", at + 2)) {
    const message = faultAt(source, at);
    if (message !== null) faults.push({ offset: offset + at, message });
  }
  return faults;
}

function faultAt(source: string, at: number): string | null {
  const name = source.charAt(at + 1);
  if (PLAIN.has(name)) return null;
  if (name === "n" || name === "t" || name === "r") {
    const around = { before: source.slice(Math.max(1, at - 40), at), after: source.slice(at + 2, at + 42) };
    return isMeant(name, around) ? null : sentence(name, name === "n" ? "a line end" : `a ${WORDS[name]}`);
  }
  return sentence(name, "no backslash");
}

const WORDS = { t: "tab", r: "carriage return" } as const;

function sentence(name: string, is: string): string {
  return `between double quotes \\${name} is ${is}: write every backslash twice, or put the text between single quotes`;
}

type Around = { readonly before: string; readonly after: string };

/** Whether a line end, a tab or a carriage return can be meant, and not a backslash. */
function isMeant(name: "n" | "t" | "r", { before, after }: Around): boolean {
  if (name === "r") return after.startsWith("\\n");
  const [word = ""] = /^[A-Za-z]+/.exec(after) ?? [];
  if (TEX.has(name + word)) return false;
  if (word === "" && !/^[\d_]/.test(after)) return true;
  // C:\temp, ..\new, ~\temp, %TEMP%\new
  const isPath = /(?:^|[^A-Za-z])[A-Za-z]:$|(?:^|[\s"'`(=$])(?:\.{1,2}|~)$|%\w+%$/.test(before);
  if (name === "t") return !(isPath || before === "" || /[ ([{`'$=<^_]$/.test(before));
  return !(/^[a-z\d_]/.test(after) && (isPath || before === "" || /(?:^|[^`'])[ `'$]$/.test(before)));
}

type Collection = YAMLMap | YAMLSeq;

/** The longest text that a sentence repeats. */
const QUOTED = 80;

/**
 * A `#` after a blank ends a text that is not quoted, also where its author meant `PR #532`: comments behind such a
 * text are faults. After `true` or `5`, behind quotes and on a line of their own they cut nothing.
 */
function commentFaults(root: Node | null, text: string): readonly YamlFault[] {
  const faults: YamlFault[] = [];
  visit(root, {
    Scalar: (_key, scalar, path) => {
      if (isPlainText(scalar) && isCut(scalar, text, path.findLast(isCollection)))
        faults.push({ offset: scalar.range?.[0] ?? 0, message: sentenceFor(scalar, text) });
    },
  });
  return faults;
}

/** A text, or nothing at all where a text may have been meant: `comments: #532 first`. */
function isPlainText({ type, value, source }: Scalar): boolean {
  return type === "PLAIN" && (typeof value === "string" || (value === null && source === ""));
}

/** Whether a comment follows on the text's last line, or on the next one and indented like a continuation. */
function isCut(scalar: Scalar, text: string, parent: Collection | undefined): boolean {
  const [start = 0, end = 0] = scalar.range ?? [];
  // Nothing begins where its comment does.
  if (matchAt(/[ \t]+#/y, text, start === end ? end - 1 : end) !== null) return true;
  const [, blanks = null] = matchAt(/(?:[ \t]*\n)+([ \t]*)#/y, text, end) ?? [];
  if (blanks === null || parent?.flow === true) return false;
  return blanks.length > (parent === undefined ? 0 : columnOf(text, parent.range?.[0] ?? 0));
}

// In place: a line may hold thousands of texts.
function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}

function sentenceFor(scalar: Scalar, text: string): string {
  const [start = 0, end = 0] = scalar.range ?? [];
  const [line = ""] = matchAt(/[^\n]*/y, text, Math.max(start, end)) ?? [];
  const meant = JSON.stringify(`${text.slice(start, end)}${line}`.trim().replace(/\s*\n\s*/g, " "));
  return meant.length > QUOTED || /[[\]{}]/.test(meant) ? CUT : `${CUT}, did you mean \`${meant}\`?`;
}

function columnOf(text: string, offset: number): number {
  return offset - (text.lastIndexOf("\n", offset - 1) + 1);
}
