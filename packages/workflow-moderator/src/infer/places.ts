import type { AstNode } from "../engine/index.js";

/** A word or mark of an expression; `end` is where jsonata says that it stands. */
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

/** Behind one of these a slash divides; elsewhere it begins a regex. */
function endsOperand(token: Token | undefined): boolean {
  if (token === undefined) return false;
  return token.kind !== "mark" || [")", "]", "}"].includes(token.text);
}

/** Every word and mark, blanks and comments left out. Never fails: what is no word is a mark. */
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

/** Where nodes of an expression's tree begin in its text. */
export type Places = {
  readonly startOf: (node: AstNode) => number;
  readonly textOf: (node: AstNode) => string;
};

/** jsonata tells of each word only where it ends. */
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
  // The tree does not tell of the brackets that close.
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
  return { startOf, textOf };
}

/** The part of a node that stands before the node's own mark. */
function firstOf(node: AstNode): AstNode | null {
  if (node.type === "path") return node.steps?.[0] ?? null;
  if (node.type === "binary" || node.type === "bind" || node.type === "apply") return node.lhs ?? null;
  if (node.type === "function" || node.type === "partial") {
    return node.procedure?.position === undefined ? (node.arguments?.[0] ?? null) : node.procedure;
  }
  return node.type === "condition" ? (node.condition ?? null) : null;
}

function partsOf(node: AstNode): readonly AstNode[] {
  const one = [node.lhs, node.rhs, node.expression, node.condition, node.then, node.else];
  const many = [...(node.steps ?? []), ...(node.expressions ?? []), ...(node.arguments ?? [])];
  return [...many, ...one].filter((part) => part !== undefined && "type" in part);
}
