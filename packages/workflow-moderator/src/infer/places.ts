import { type AstNode, BANNED, nodesOf, partsOf } from "../engine/index.js";
import { JSONATA_FUNCTIONS } from "./signatures.js";

/** A token of an expression; `end` is its position as jsonata reports it. */
export type Token = {
  readonly kind: "blank" | "text" | "regex" | "word" | "number" | "mark";
  readonly text: string;
  readonly start: number;
  readonly end: number;
};

const TOKEN = new RegExp(
  [
    "(?<blank>\\s+|/\\*[\\s\\S]*?\\*/)",
    "(?<text>\"(?:[^\"\\\\]|\\\\[\\s\\S])*\"|'(?:[^'\\\\]|\\\\[\\s\\S])*')",
    "(?<number>[0-9]+(?:\\.[0-9]+)?(?:[eE][-+]?[0-9]+)?)",
    "(?<word>`[^`]*`|\\$?[^\\s\"'`.[\\]{}()*+\\-/%|=<>^&!?:;,~@#$]+|\\$\\$?)",
    "(?<mark>===?|!==?|&&|\\|\\||:=|<=|>=|<>|=>|\\*\\*|~>|\\?:|\\?\\?|\\.\\.|[\\s\\S])",
  ].join("|"),
  "y",
);
const REGEX = /\/(?:[^/\\\n]|\\.)+\/[im]*/y;

/** After one of these a slash divides; elsewhere it begins a regex. */
function endsOperand(token: Token | undefined): boolean {
  if (token === undefined) return false;
  return token.kind !== "mark" || [")", "]", "}"].includes(token.text);
}

/** All tokens without blanks and comments. Never fails: anything that is not a word is a mark. */
export function tokensOf(text: string): readonly Token[] {
  const tokens: Token[] = [];
  for (let at = 0; at < text.length; ) {
    const { kind, length } = tokenAt(text, at, tokens.at(-1));
    const end = at + length;
    if (kind !== "blank") tokens.push({ kind, text: text.slice(at, end), start: at, end });
    at = end;
  }
  return tokens;
}

function tokenAt(
  text: string,
  at: number,
  before: Token | undefined,
): { readonly kind: Token["kind"]; readonly length: number } {
  REGEX.lastIndex = at;
  if (text[at] === "/" && text[at + 1] !== "*" && !endsOperand(before)) {
    const regex = REGEX.exec(text)?.[0];
    if (regex !== undefined) return { kind: "regex", length: regex.length };
  }
  TOKEN.lastIndex = at;
  const groups = TOKEN.exec(text)?.groups ?? {};
  for (const kind of ["blank", "text", "number", "word", "mark"] as const) {
    const found = groups[kind];
    if (found !== undefined) return { kind, length: found.length };
  }
  return { kind: "mark", length: 1 };
}

/** Where the nodes of an expression begin in its text. */
export type Places = {
  readonly startOf: (node: AstNode) => number;
  readonly textOf: (node: AstNode) => string;
  /** What a path says before its step. */
  readonly textBefore: (path: AstNode, step: AstNode) => string;
};

/** jsonata reports only the end of each token. */
export function placesOf(text: string): Places {
  const tokens = tokensOf(text);
  const starts = new Map(tokens.map((token) => [token.end, token.start]));
  const own = (node: AstNode): number => {
    const end = node.position ?? 0;
    const start = starts.get(end) ?? Math.max(0, end - 1);
    const negative = node.type === "number" && Number(node.value) < 0;
    return negative ? Math.max(0, text.lastIndexOf("-", start)) : start;
  };
  const startOf = (node: AstNode): number => {
    const first = firstOf(node);
    return first === null ? own(node) : startOf(first);
  };
  const endOf = (node: AstNode): number => Math.max(node.position ?? 0, ...partsOf(node).map(endOf));
  // The tree has no positions of closing brackets.
  const closed = (start: number, end: number): number => {
    let depth = 0;
    for (const token of tokens) {
      if (token.start < start) continue;
      if (token.start >= end && depth <= 0) break;
      if (token.kind === "mark" && "([{".includes(token.text)) depth += 1;
      if (token.kind === "mark" && ")]}".includes(token.text)) depth -= 1;
      if (token.end >= end && depth <= 0) return Math.max(end, token.end);
    }
    return end;
  };
  const textOf = (node: AstNode): string => {
    const start = startOf(node);
    return text.slice(start, closed(start, endOf(node))).trim();
  };
  const textBefore = (path: AstNode, step: AstNode): string =>
    text.slice(startOf(path), startOf(step)).replace(/[.\s]+$/, "");
  return { startOf, textOf, textBefore };
}

/** The part of a node before its own operator. */
function firstOf(node: AstNode): AstNode | null {
  if (node.type === "path") return node.steps?.[0] ?? null;
  if (node.type === "binary" || node.type === "bind" || node.type === "apply") return node.lhs ?? null;
  if (node.type === "function" || node.type === "partial") {
    return node.procedure?.position === undefined ? (node.arguments?.[0] ?? null) : node.procedure;
  }
  return node.type === "condition" ? (node.condition ?? null) : null;
}

/** A variable where nothing binds it: jsonata takes it for nothing. */
export type UnboundVariable = {
  readonly node: AstNode;
  readonly name: string;
  readonly isCalled: boolean;
  /** Names that are bound somewhere in the expression. */
  readonly bound: readonly string[];
};

/** What binds names: the whole expression, a block in parentheses or a function. */
type Frame = { readonly names: Set<string>; readonly outer: Frame | null };

/** The first use of each unbound name; those that are not allowed are reported elsewhere. */
export function unboundVariables(ast: AstNode): readonly UnboundVariable[] {
  const { uses, bound } = variablesIn(ast);
  const known = new Set(["", "$", ...JSONATA_FUNCTIONS, ...BANNED]);
  const called = new Set([...nodesOf(ast)].map(({ procedure }) => procedure));
  const unbound = uses.flatMap(({ node, frame }): readonly UnboundVariable[] => {
    const name = String(node.value);
    if (known.has(name) || isBound(name, frame)) return [];
    return [{ node, name, isCalled: called.has(node), bound }];
  });
  return [...new Map(unbound.toReversed().map((each) => [each.name, each])).values()].toReversed();
}

function isBound(name: string, from: Frame): boolean {
  for (let frame: Frame | null = from; frame !== null; frame = frame.outer)
    if (frame.names.has(name)) return true;
  return false;
}

type Use = { readonly node: AstNode; readonly frame: Frame };

function variablesIn(ast: AstNode): { readonly uses: readonly Use[]; readonly bound: readonly string[] } {
  const uses: Use[] = [];
  const bound = new Set<string>();
  const open: { readonly part: object; readonly frame: Frame }[] = [
    { part: ast, frame: { names: new Set(), outer: null } },
  ];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { part, frame } = next;
    const node = part as AstNode;
    const inner =
      node.type === "block" || node.type === "lambda" ? { names: new Set<string>(), outer: frame } : frame;
    for (const name of namesBoundBy(node)) {
      inner.names.add(name);
      bound.add(name);
    }
    if (node.type === "variable") uses.push({ node, frame });
    // A filter behind a block or function is outside of it.
    for (const [key, value] of Object.entries(part).toReversed() as readonly (readonly [string, unknown])[]) {
      if (typeof value !== "object" || value === null || value instanceof RegExp) continue;
      open.push({ part: value, frame: INSIDE.has(key) ? inner : frame });
    }
  }
  return { uses, bound: [...bound] };
}

const INSIDE: ReadonlySet<string> = new Set(["expressions", "body", "arguments"]);

/** `$x := …`, `function($x)`, `@$x`, `#$x`. */
function namesBoundBy(node: AstNode): readonly string[] {
  const { focus, index } = node as { readonly focus?: unknown; readonly index?: unknown };
  const stages = Array.isArray(node.stages) ? node.stages : [];
  const names = [focus, index, ...stages.map((stage) => (stage as { value?: unknown }).value)];
  if (node.type === "bind") names.push(node.lhs?.value);
  if (node.type === "lambda") names.push(...(node.arguments ?? []).map(({ value }) => value));
  return names.filter((name) => typeof name === "string");
}
