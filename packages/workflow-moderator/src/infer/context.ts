import type { JsonValue } from "@uncaged/json-schema";
import type { AuthoredWorkflow } from "@uncaged/workflow-protocol";
import type { AstNode } from "../engine/index.js";
import { valueOfSchema } from "./schema.js";
import {
  type Field,
  lazily,
  NOTHING,
  object,
  oneOfStrings,
  type Shape,
  STRING,
  unionOf,
  type Value,
} from "./value.js";

/** The step after which a condition is evaluated: of that role; `none`: at $START; `any`: unknown. */
export type Last = { readonly kind: "role"; readonly role: string } | { readonly kind: "none" | "any" };

/** `{start: {workflow, prompt}, steps: [{role, output, detail, agent}]}`, as it can be after `last`. */
export type Contexts = {
  readonly after: (last: Last) => Value;
  /**
   * The same without the earlier steps of roles whose meta declares no field, which may bring any; `null`: there are no such
   * roles, or no others.
   */
  readonly ofDeclared: ((last: Last) => Value) | null;
  readonly roles: readonly string[];
};

export function contextsOf({ roles }: AuthoredWorkflow): Contexts {
  const names = Object.keys(roles);
  const known = { what: "role", names } as const;
  const step = new Map(
    Object.entries(roles).map(([role, { meta }]) => {
      const output = lazily(() => valueOfSchema(meta, `the output of ${role}`));
      const value = record("step", "a step", {
        role: () => oneOfStrings([role], known),
        output,
        detail: () => STRING,
        agent: () => STRING,
      });
      return [role, value];
    }),
  );
  const start = record("start", "start", { workflow: () => STRING, prompt: () => STRING });
  const afterAnyOf = (earlier: Value, last: Last): Value => {
    const lastStep = (last.kind === "role" ? step.get(last.role) : null) ?? earlier;
    const list = {
      items: () => earlier,
      min: last.kind === "role" ? 1 : 0,
      max: last.kind === "none" ? 0 : Number.POSITIVE_INFINITY,
      last: () => lastStep,
    };
    const steps: Value = { ...NOTHING, nothing: false, list };
    return record("context", "the context", { start: () => start, steps: () => steps });
  };
  const anyStep = unionOf(step.values());
  const declaring = [...step].filter(([role]) => namedFields(roles[role]?.meta ?? true) > 0);
  const isMixed = declaring.length > 0 && declaring.length < step.size;
  const declared = unionOf(declaring.map(([, value]) => value));
  return {
    after: (last) => afterAnyOf(anyStep, last),
    ofDeclared: isMixed ? (last) => afterAnyOf(declared, last) : null,
    roles: names,
  };
}

function namedFields(meta: JsonValue): number {
  const value = valueOfSchema(meta, "");
  return value.any ? 0 : value.objects.flatMap((shape) => shape.names()).length;
}

/** An object that has exactly these fields. */
function record(kind: Shape["kind"], what: string, fields: Readonly<Record<string, () => Value>>): Value {
  return object({
    what,
    kind,
    names: () => Object.keys(fields),
    field: (name): Field => {
      const value = Object.hasOwn(fields, name) ? fields[name] : undefined;
      return value === undefined
        ? { presence: "never", value: () => NOTHING }
        : { presence: "always", value };
    },
  });
}

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

function partsOf(node: AstNode): readonly AstNode[] {
  const one = [node.lhs, node.rhs, node.expression, node.condition, node.then, node.else];
  const many = [...(node.steps ?? []), ...(node.expressions ?? []), ...(node.arguments ?? [])];
  return [...many, ...one].filter((part) => part !== undefined && "type" in part);
}

/** The functions of jsonata 2.2; a test compares them with jsonata. */
export const JSONATA_FUNCTIONS: readonly string[] = [
  ...[
    "abs",
    "append",
    "assert",
    "average",
    "base64decode",
    "base64encode",
    "boolean",
    "ceil",
    "clone",
    "contains",
  ],
  ...[
    "count",
    "decodeUrl",
    "decodeUrlComponent",
    "distinct",
    "each",
    "encodeUrl",
    "encodeUrlComponent",
    "error",
  ],
  ...[
    "exists",
    "filter",
    "floor",
    "formatBase",
    "formatInteger",
    "formatNumber",
    "fromMillis",
    "join",
    "keys",
  ],
  ...[
    "length",
    "lookup",
    "lowercase",
    "map",
    "match",
    "max",
    "merge",
    "min",
    "not",
    "number",
    "pad",
    "parseInteger",
  ],
  ...["power", "reduce", "replace", "reverse", "round", "sift", "single", "sort", "split", "spread", "sqrt"],
  ...[
    "string",
    "substring",
    "substringAfter",
    "substringBefore",
    "sum",
    "toMillis",
    "trim",
    "type",
    "uppercase",
    "zip",
  ],
];
