import { err, ok, type Result } from "@uncaged/workflow-protocol";
import {
  type AstNode,
  BANNED,
  type Compiled,
  EVALUATION_LIMITS,
  type Jsonata,
  type Meter,
  metered,
  nodesOf,
  nodesWithDepth,
  sentenceOf,
} from "../engine/index.js";
import { isPlain } from "./plain.js";
import { windowOf } from "./window.js";

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
