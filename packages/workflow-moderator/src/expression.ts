import { err, ok, type Result } from "@uncaged/workflow-protocol";
import {
  type AstNode,
  BANNED,
  type Compiled,
  EVALUATION_LIMITS,
  filtersOf,
  type Jsonata,
  type Meter,
  metered,
  nodesOf,
  nodesWithDepth,
  partsOf,
  sentenceOf,
} from "./engine/index.js";

/** The banned functions that an expression names, called or not: an alias is a reference too. */
export function bannedIn(ast: AstNode): readonly string[] {
  const names = [...nodesOf(ast)].filter(({ type }) => type === "variable").map(({ value }) => String(value));
  return BANNED.filter((name) => names.includes(name)).map((name) => `$${name}`);
}

/** Why a decision cannot use `name`, as a sentence. */
export function bannedSentence(name: string): string {
  return name === "$eval"
    ? "$eval is not allowed: expressions belong in the workflow, not in its data"
    : `${name} is not allowed: a decision depends on the history alone, not on time or randomness`;
}

export function hasRegex(ast: AstNode): boolean {
  return [...nodesOf(ast)].some(({ type }) => type === "regex");
}

export type Expression = {
  readonly compiled: Compiled;
  readonly ast: AstNode;
  /** The first banned function that it names. */
  readonly banned: string | null;
  /** Whether it may be evaluated in this process. */
  readonly isPlain: boolean;
  /** How many of the last steps can affect the result; `null`: all. */
  readonly window: number | null;
};

/** Characters of one expression. */
export const EXPRESSION_LIMIT = 16 * 1024;

/** Nodes of a syntax tree that the parser may have to make. */
const NODE_LIMIT = 2 ** 20;

/** Levels of a syntax tree. Node.js can parse twice as many before its stack ends, bun more; all of them refuse alike. */
const DEPTH_LIMIT = 1_000;

/** Parsing takes ten times as long as a usual evaluation, and the threads that a command lists share few expressions. */
const KEPT = 64;

const UNCOUNTED: Meter = { cost: 0 };

const parsed = new WeakMap<Meter, Map<string, Result<Expression, string>>>();

/** Parses within bounds; the error is a sentence. `meter` counts what its evaluations cost. */
export function parseExpression(
  jsonata: Jsonata,
  text: string,
  meter: Meter | null = null,
): Result<Expression, string> {
  const known = parsed.get(meter ?? UNCOUNTED) ?? new Map<string, Result<Expression, string>>();
  const there = known.get(text);
  if (there !== undefined) return there;
  const expression = parse(jsonata, text, meter);
  if (known.size >= KEPT) known.clear();
  parsed.set(meter ?? UNCOUNTED, known.set(text, expression));
  return expression;
}

function parse(jsonata: Jsonata, text: string, meter: Meter | null): Result<Expression, string> {
  const refusal = refusalOf(text);
  if (refusal !== null) return err(refusal);
  try {
    const compiled = jsonata(text, meter === null ? EVALUATION_LIMITS : metered(EVALUATION_LIMITS, meter));
    const ast = compiled.ast();
    if (isTooDeep(ast)) return err("it is nested too deeply");
    const [banned = null] = bannedIn(ast);
    return ok({ compiled, ast, banned, isPlain: isPlain(ast), window: windowOf(ast) });
  } catch (error) {
    const sentence = sentenceOf(error) ?? syntaxErrorOf(error);
    if (sentence === null) throw error;
    return err(sentence);
  }
}

// The parser copies the left side of every ?? and ?:, so each nested one doubles the tree. Counted in the
// text, strings and all: an upper bound.
function refusalOf(text: string): string | null {
  if (text.trim() === "") return "it is empty";
  if (text.length > EXPRESSION_LIMIT) {
    return `it has ${text.length} characters, the limit is ${EXPRESSION_LIMIT}`;
  }
  const copies = text.split(/\?[?:]/).length - 1;
  return text.length * 2 ** copies > NODE_LIMIT ? `it has too many ?? and ?: (${copies})` : null;
}

function isTooDeep(ast: AstNode): boolean {
  for (const [, depth] of nodesWithDepth(ast)) if (depth > DEPTH_LIMIT) return true;
  return false;
}

// For an invalid regex the parser throws JavaScript's error.
function syntaxErrorOf(error: unknown): string | null {
  return error instanceof SyntaxError ? error.message : null;
}

// Two allow lists of node types, their keys and functions: what is not in a list has no window, and is evaluated in a process
// of its own.

/** Allowed keys by type of node, besides `type`, `value` and `position`. */
const KEYS: Readonly<Record<string, string>> = {
  ...{ string: "", number: "", value: "", name: "stages", path: "steps" },
  binary: "lhs rhs predicate stages",
  unary: "expression expressions predicate stages",
  block: "expressions predicate stages",
  condition: "condition then else predicate stages",
  function: "name arguments procedure predicate stages",
};

/** No keys but those that the table allows; no `index` stage, which binds a position. */
function isKnown(node: AstNode, table: Readonly<Record<string, string>>): boolean {
  const keys = Object.hasOwn(table, node.type) ? table[node.type] : undefined;
  if (keys === undefined) return false;
  const allowed = ["type", "value", "position", ...keys.split(" ")];
  const used = Object.entries(node).filter(([, value]) => value !== undefined && value !== false);
  const filters = [...(node.stages ?? []), ...(node.predicate ?? [])];
  return used.every(([key]) => allowed.includes(key)) && filters.every(({ type }) => type === "filter");
}

/** The function that a node calls by its name alone. */
function calledBy({ procedure }: AstNode): string {
  return procedure?.type === "variable" && Object.keys(procedure).length <= 3 ? String(procedure.value) : "";
}

// A plain expression is bounded by jsonata's own limits, so it can be evaluated in this process. The argument:
//
//   time    Every node checks the clock. Between two checks is a single operation, linear in the data: a lookup, a
//           comparison, a count. Searches take a short literal, so they are linear too.
//   memory  A path walks the tree of the data and its results are parts of that tree: only its first step may be
//           anything but a name. The value of a filter is dropped at once. No expression makes lists of lists, and the
//           few functions that make a text as long as the data are counted.
//   safety  Functions are only called by the name of a builtin, never used as values.
//           Nothing writes to the data (`steps[]` and `|…|…|` would).

const PLAIN_KEYS = { ...KEYS, variable: "predicate stages", bind: "lhs rhs", apply: "lhs rhs keepArray" };

/** They make a text as long as the data's. */
const TEXT_MAKERS = ["lowercase", "uppercase", "trim"];
const TEXT_MAKER_LIMIT = 8;

/** Their last argument is a lambda. */
const WITH_LAMBDA = ["filter", "single"];

/** Its last argument is a short literal. */
const SEARCH = "contains";
const NEEDLE_LIMIT = 64;

const PLAIN_FUNCTIONS: ReadonlySet<string> = new Set([
  ...["exists", "not", "boolean", "count", "type", SEARCH, ...WITH_LAMBDA, ...TEXT_MAKERS],
  ...["sum", "max", "min", "average", "number", "abs", "floor", "ceil", "round", "sqrt", "power"],
]);

const OPERATORS: ReadonlySet<unknown> = new Set("= != < <= > >= and or in + - * / %".split(" "));

const LITERALS: ReadonlySet<string> = new Set(["string", "number", "value"]);

/** Whether the expression may be evaluated in this process. */
export function isPlain(ast: AstNode): boolean {
  const nodes = [...nodesOf(ast)];
  const bound = nodes.flatMap(({ type, lhs, arguments: given = [] }) => {
    const names = type === "bind" ? [lhs] : type === "lambda" ? given : [];
    return names.map((name) => (name?.type === "variable" ? String(name.value) : ""));
  });
  const makers = nodes.filter(({ procedure }) => TEXT_MAKERS.includes(String(procedure?.value)));
  if (makers.length > TEXT_MAKER_LIMIT || bound.some((name) => PLAIN_FUNCTIONS.has(name))) return false;
  return isPlainNode(ast, new Set(["", "$", ...bound]));
}

function isPlainNode(node: AstNode, names: ReadonlySet<string>): boolean {
  const { type, value, steps = [], expressions = [], arguments: given = [] } = node;
  if (!isKnown(node, PLAIN_KEYS)) return false;
  if (type === "variable" && !names.has(String(value))) return false;
  if (type === "path" && steps.some((step, i) => (i === 0 ? step.type === "unary" : step.type !== "name")))
    return false;
  if (type === "binary" && !OPERATORS.has(value)) return false;
  // A list holds only literals: a list of lists could double and double.
  if (
    type === "unary" &&
    value !== "-" &&
    (value !== "[" || !expressions.every((each) => LITERALS.has(each.type)))
  )
    return false;
  if (type === "apply" && node.rhs?.type !== "function") return false;
  const called = type === "function" ? calledBy(node) : null;
  if (called !== null && !PLAIN_FUNCTIONS.has(called)) return false;
  const last = given.at(-1);
  if (called === SEARCH && (last?.type !== "string" || String(last.value).length > NEEDLE_LIMIT))
    return false;
  const lambda = called !== null && WITH_LAMBDA.includes(called) ? last : null;
  if (lambda !== null && !isPlainLambda(lambda, names)) return false;
  return [...partsOf(node), ...filtersOf(node)].every((part) => part === lambda || isPlainNode(part, names));
}

/** jsonata wraps a call at the end of a lambda into another one without arguments, the thunk. */
function isPlainLambda(node: AstNode | undefined, names: ReadonlySet<string>): boolean {
  if (node?.body === undefined || !isKnown(node, { lambda: "arguments body thunk" })) return false;
  return node.body.type === "lambda" ? isPlainLambda(node.body, names) : isPlainNode(node.body, names);
}

// How far back into the history an expression can look. Only an expression that provably reads just the last k steps has
// a window. The argument:
//
//   `steps` is only reached by its name, as the first step of a path, and the first operation on it takes one element
//   from the end. There is no variable (`$` and `$$` are the whole context), no parent operator, no wildcard at the root
//   and no function that uses the context for a missing argument.
//   In a filter, and after the first step of a path, names are looked up in the element, not in the history: treating
//   them as the history's can only make the window too large.

const WINDOW_KEYS = { ...KEYS, regex: "" };

/** Required arguments: with fewer the function uses the context as the first one. */
const REQUIRED: Readonly<Record<string, number>> = {
  ...{ exists: 1, not: 1, boolean: 1, count: 1, type: 1, number: 1, string: 1, length: 1, distinct: 1 },
  ...{ sum: 1, max: 1, min: 1, average: 1, abs: 1, floor: 1, ceil: 1, round: 1, sqrt: 1, power: 2 },
  ...{ contains: 2, lowercase: 1, uppercase: 1, trim: 1, match: 2, replace: 3, split: 2, join: 2 },
  ...{ substring: 2, substringBefore: 2, substringAfter: 2, keys: 1, lookup: 2, append: 2, reverse: 1 },
};

/** An index further from the end is not worth a window. */
const FURTHEST = 1000;

/** How many of the last steps can affect the result; `null`: all. */
export function windowOf(node: AstNode): number | null {
  if (!isKnown(node, WINDOW_KEYS)) return null;
  if (node.type === "function" && !isSelfSufficient(node)) return null;
  const [first, ...rest] = node.steps ?? [];
  // The path's first name is looked up in the context, the others in the result so far.
  if (first?.type !== "name" || first.value !== "steps")
    return widest([...partsOf(node), ...filtersOf(node)]);
  const [index, ...filters] = filtersOf(first);
  const back = index?.type === "number" && isKnown(index, WINDOW_KEYS) ? -Number(index.value) : 0;
  if (!Number.isInteger(back) || back < 1 || back > FURTHEST || !isKnown(first, WINDOW_KEYS)) return null;
  const others = widest([...filters, ...rest]);
  return others === null ? null : Math.max(back, others);
}

/** Whether it is a function of the list, called by name with all its arguments. */
function isSelfSufficient(node: AstNode): boolean {
  const name = calledBy(node);
  return Object.hasOwn(REQUIRED, name) && (node.arguments ?? []).length >= (REQUIRED[name] ?? 0);
}

function widest(nodes: readonly AstNode[]): number | null {
  let window = 0;
  for (const node of nodes) {
    const one = windowOf(node);
    if (one === null) return null;
    window = Math.max(window, one);
  }
  return window;
}
