import { type AstNode, filtersOf, nodesOf } from "../engine/index.js";

// A plain expression is bounded by jsonata's own limits, so it can be evaluated in this process. The argument:
//
//   time    Every node checks the clock. Between two checks is a single operation, linear in the data: a lookup, a
//           comparison, a count. Searches take a short literal, so they are linear too.
//   memory  A path walks the tree of the data and its results are parts of that tree: only its first step may be
//           anything but a name. The value of a filter is dropped at once. No expression makes lists of lists, and the
//           few functions that make a text as long as the data are counted.
//   safety  Functions are only called by the name of a builtin, never used as values.
//           Nothing writes to the data (`steps[]` and `|…|…|` would).
//
// This is an allow list of node types, their keys and functions. Everything else goes to the evaluator process.

const FUNCTIONS: ReadonlySet<string> = new Set([
  ...["exists", "not", "boolean", "count", "type"],
  ...["sum", "max", "min", "average", "number", "abs", "floor", "ceil", "round", "sqrt", "power"],
]);

/** Their last argument is a lambda. */
const WITH_LAMBDA: ReadonlySet<string> = new Set(["filter", "single"]);

/** Their last argument is a short literal. */
const SEARCHES: ReadonlySet<string> = new Set(["contains"]);

/** They make a text as long as the data's. */
const TEXT_MAKERS: ReadonlySet<string> = new Set(["lowercase", "uppercase", "trim"]);

const OPERATORS: ReadonlySet<unknown> = new Set("= != < <= > >= and or in + - * / %".split(" "));

const NEEDLE_LIMIT = 64;
const TEXT_MAKER_LIMIT = 8;

/** Whether the expression may be evaluated in this process. */
export function isPlain(ast: AstNode): boolean {
  const nodes = [...nodesOf(ast)];
  const bound = new Set(nodes.flatMap(boundNames));
  const makers = nodes.filter(({ procedure }) => TEXT_MAKERS.has(nameOf(procedure)));
  return (
    makers.length <= TEXT_MAKER_LIMIT &&
    ![...bound].some(isBuiltin) &&
    plain(ast, new Set(["", "$", ...bound]))
  );
}

function boundNames(node: AstNode): readonly string[] {
  if (node.type === "bind") return [nameOf(node.lhs)];
  return node.type === "lambda" ? (node.arguments ?? []).map(nameOf) : [];
}

function isBuiltin(name: string): boolean {
  return [FUNCTIONS, WITH_LAMBDA, SEARCHES, TEXT_MAKERS].some((names) => names.has(name));
}

function nameOf(node: AstNode | undefined): string {
  return node?.type === "variable" ? String(node.value) : "";
}

type Names = ReadonlySet<string>;

/** By type of node: the allowed keys, and further conditions. */
const RULES: Readonly<
  Record<string, { readonly keys: string; readonly holds: (node: AstNode, names: Names) => boolean }>
> = {
  string: { keys: "", holds: () => true },
  number: { keys: "", holds: () => true },
  value: { keys: "", holds: () => true },
  name: { keys: "stages", holds: () => true },
  variable: { keys: "predicate stages", holds: (node, names) => names.has(String(node.value)) },
  path: { keys: "steps", holds: isPlainPath },
  binary: { keys: "lhs rhs predicate", holds: isPlainBinary },
  unary: { keys: "expression expressions predicate", holds: isPlainUnary },
  block: { keys: "expressions predicate stages", holds: (node, names) => allPlain(node.expressions, names) },
  condition: { keys: "condition then else predicate", holds: isPlainChoice },
  bind: { keys: "lhs rhs", holds: (node, names) => allPlain([node.rhs], names) },
  function: { keys: "name arguments procedure predicate stages", holds: isPlainCall },
  apply: { keys: "lhs rhs keepArray", holds: isPlainApply },
};

function plain(node: AstNode, names: Names): boolean {
  const rule = Object.hasOwn(RULES, node.type) ? RULES[node.type] : undefined;
  if (rule === undefined || !hasOnly(node, rule.keys)) return false;
  return rule.holds(node, names) && allPlain(filtersOf(node), names);
}

function allPlain(nodes: readonly (AstNode | undefined)[] | undefined, names: Names): boolean {
  return (nodes ?? []).every((node) => node === undefined || plain(node, names));
}

/** No keys but these and the three of every node; no `index` stage, which binds a position. */
function hasOnly(node: AstNode, keys: string): boolean {
  const allowed = ["type", "value", "position", ...keys.split(" ")];
  const filters = [...(node.stages ?? []), ...(node.predicate ?? [])];
  const used = Object.entries(node).filter(([, value]) => value !== undefined && value !== false);
  return used.every(([key]) => allowed.includes(key)) && filters.every(({ type }) => type === "filter");
}

function isPlainPath({ steps = [] }: AstNode, names: Names): boolean {
  return steps.every(
    (step, i) => (i === 0 ? step.type !== "unary" : step.type === "name") && plain(step, names),
  );
}

function isPlainBinary(node: AstNode, names: Names): boolean {
  return OPERATORS.has(node.value) && allPlain([node.lhs, node.rhs], names);
}

/** A list holds only literals: a list of lists could double and double. */
function isPlainUnary(node: AstNode, names: Names): boolean {
  if (node.value === "-") return allPlain([node.expression], names);
  return node.value === "[" && (node.expressions ?? []).every(({ type }) => LITERALS.has(type));
}

const LITERALS: ReadonlySet<string> = new Set(["string", "number", "value"]);

function isPlainChoice(node: AstNode, names: Names): boolean {
  return allPlain([node.condition, node.then, node.else], names);
}

function isPlainApply({ lhs, rhs }: AstNode, names: Names): boolean {
  return rhs?.type === "function" && allPlain([lhs, rhs], names);
}

function isPlainCall(node: AstNode, names: Names): boolean {
  const called = nameOf(node.procedure);
  if (!isBuiltin(called) || Object.keys(node.procedure ?? {}).length > 3) return false;
  const given = node.arguments ?? [];
  const last = given.at(-1);
  if (WITH_LAMBDA.has(called)) return isPlainLambda(last, names) && allPlain(given.slice(0, -1), names);
  if (SEARCHES.has(called) && !isShortLiteral(last)) return false;
  return allPlain(given, names);
}

function isShortLiteral(node: AstNode | undefined): boolean {
  return node?.type === "string" && String(node.value).length <= NEEDLE_LIMIT && hasOnly(node, "");
}

/** jsonata wraps a call at the end of a lambda into another one without arguments, the thunk. */
function isPlainLambda(node: AstNode | undefined, names: Names): boolean {
  if (node?.type !== "lambda" || node.body === undefined || !hasOnly(node, "arguments body thunk"))
    return false;
  return node.body.type === "lambda" ? isPlainLambda(node.body, names) : plain(node.body, names);
}
