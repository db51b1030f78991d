import { suggest } from "@uncaged/workflow-protocol";
import type { AstNode } from "../engine/index.js";
import { noteBad, noteGood, typesOf } from "./fixes.js";
import type { Run, Scope } from "./infer.js";
import { collapsed, fieldOf, itemsOf, partsOf, within } from "./path.js";
import { JSONATA_FUNCTIONS, OBJECT, SIGNATURES, type Takes } from "./signatures.js";
import {
  ANY,
  BOOLEAN,
  isNone,
  kindsOf,
  listOf,
  NONE,
  NOTHING,
  numberIn,
  oneOfStrings,
  orNothing,
  STRING,
  something,
  truthOf,
  union,
  unionOf,
  type Value,
} from "./value.js";

/** `given`: the left side of `~>`, which comes before the written arguments. */
export function evaluateCall(run: Run, node: AstNode, scope: Scope, given: readonly Value[] = []): Value {
  const name = calledName(run, node, scope);
  const written = node.arguments ?? [];
  const lambda = written[1 - given.length];
  if (name !== null && CALLERS.has(name) && lambda?.type === "lambda") {
    const list = given[0] ?? (written[0] === undefined ? ANY : run.evaluate(run, written[0], scope));
    const third = written[2 - given.length];
    const initial = third === undefined ? null : run.evaluate(run, third, scope);
    return evaluateCaller(run, name, lambda, list, initial, scope);
  }
  if (name === null && node.procedure?.type === "path") return ANY;
  const values = [...given, ...written.map((argument) => run.evaluate(run, argument, scope))];
  if (name === null) return ANY;
  if (values.some((value) => isNone(value))) return NONE;
  const [first] = values;
  if (first === undefined) return simple(run, node, name, values, given.length);
  switch (name) {
    case "count":
      return countOf(first);
    case "exists":
      return existence(first);
    case "boolean":
    case "not":
      return asTruth(first, name === "not");
    case "type":
      return typeName(first);
    case "string":
      return textFor(first);
    case "lookup":
      return lookedUp(run, written[1 - given.length], first, scope);
    case "append":
      return appended(first, values[1]);
    case "spread":
      return first.any ? ANY : spread(first);
    case "error":
      return NONE;
    case "assert":
      return NOTHING;
    default:
      return simple(run, node, name, values, given.length);
  }
}

/** `steps[-1]` of `steps(-1)`. */
function indexOf({ arguments: given = [] }: AstNode): string | null {
  const [index] = given;
  if (given.length !== 1 || index === undefined) return null;
  const sign = index.type === "unary" && index.value === "-" ? "-" : "";
  const count = sign === "" ? index : index.expression;
  return count?.type === "number" ? `steps[${sign}${String(count.value)}]` : null;
}

/** The builtin that is called; `null` for a lambda, and for a value that is not a function. */
function calledName(run: Run, node: AstNode, scope: Scope): string | null {
  const { procedure } = node;
  if (procedure === undefined) return null;
  const bare = procedure.type === "path" && procedure.steps?.length === 1 ? procedure.steps[0] : procedure;
  const name = String(bare?.value);
  const offset = run.places.startOf(procedure);
  if (procedure.type === "variable" && procedure.predicate === undefined) {
    if (run.bound.has(name) || scope.variables.has(name)) return null;
    if (JSONATA_FUNCTIONS.includes(name)) return name;
    if (name === "" || name === "$") {
      const [first] = node.arguments ?? [];
      const suggestion = first === undefined ? null : `(${run.places.textOf(first)})`;
      const message = `$${name} is the data, not a function`;
      noteBad(run, "call", "unknown-function", offset, message, suggestion);
    }
    return null;
  }
  if (bare?.type === "name" && bare.stages === undefined) {
    const builtin = BARE.get(name) ?? suggest(name, JSONATA_FUNCTIONS);
    const meant = name === "steps" ? indexOf(node) : builtin === null ? null : `$${builtin}`;
    const suggestion = run.hints.get(node) ?? meant;
    noteBad(run, "call", "unknown-function", offset, `${name} is not a function`, suggestion);
  }
  return null;
}

/** What the function is called elsewhere that counts a list. */
const BARE: ReadonlyMap<string, string> = new Map(
  Object.entries({ len: "count", size: "count", length: "count" }),
);

function countOf(value: Value): Value {
  const { min, max } = itemsOf(value);
  return numberIn(min, max);
}

function existence(value: Value): Value {
  if (value.any) return BOOLEAN;
  return { ...NONE, isTrue: !isNone(something(value)), isFalse: value.nothing };
}

function asTruth(value: Value, negated: boolean): Value {
  const { yes, no } = truthOf(something(value));
  const result: Value = { ...NONE, isTrue: negated ? no : yes, isFalse: negated ? yes : no };
  return value.nothing ? orNothing(result) : result;
}

function typeName(value: Value): Value {
  const all = ["null", "number", "string", "boolean", "array", "object", "function"];
  const known = { what: "value", names: all } as const;
  if (value.any) return orNothing(oneOfStrings(all, known));
  const result = oneOfStrings(kindsOf(value), known);
  return value.nothing ? orNothing(result) : result;
}

/** `true` and `false` become texts that are known. */
function textFor(value: Value): Value {
  if (value.any) return orNothing(STRING);
  const rest = { ...value, isTrue: false, isFalse: false, isNull: false, strings: null, nothing: false };
  const literals = [
    value.isTrue ? "true" : null,
    value.isFalse ? "false" : null,
    value.isNull ? "null" : null,
  ];
  const words = literals.filter((word) => word !== null);
  const known = { what: "value", names: words } as const;
  const texts = { ...NONE, strings: value.strings };
  const all = unionOf([oneOfStrings(words, known), texts, isNone(rest) ? NONE : STRING]);
  return value.nothing ? orNothing(all) : all;
}

function lookedUp(run: Run, key: AstNode | undefined, value: Value, scope: Scope): Value {
  if (key?.type !== "string") return ANY;
  const names = itemsOf(value).item.objects.flatMap((shape) => shape.names());
  const near = suggest(String(key.value), names);
  if (near !== null) run.hints.set(key, `'${near}'`);
  return fieldOf(run, key, value, scope);
}

function appended(first: Value, second: Value | undefined): Value {
  if (second === undefined || first.any || second.any) return ANY;
  const [a, b] = [itemsOf(something(first)), itemsOf(something(second))];
  const both = listOf(() => union(a.item, b.item), a.min + b.min, a.max + b.max);
  return unionOf([
    isNone(something(first)) || isNone(something(second)) ? NONE : both,
    first.nothing ? second : NONE,
    second.nothing ? first : NONE,
  ]);
}

/** An object becomes one object for each field. */
function spread(value: Value): Value {
  const { item } = itemsOf(value);
  if (item.any || (item.objects.length === 0 && value.list === null)) return value;
  const parts = item.objects.length === 0 ? item : union({ ...item, objects: [] }, OBJECT);
  return collapsed(parts, 0, Number.POSITIVE_INFINITY);
}

function simple(run: Run, node: AstNode, name: string, values: readonly Value[], given: number): Value {
  const rule = Object.hasOwn(SIGNATURES, name) ? SIGNATURES[name] : undefined;
  if (rule === undefined) return ANY;
  if (values.length < rule.takes.length) return orNothing(rule.gives);
  for (const [i, takes] of rule.takes.entries()) {
    const value = values[i];
    const argument = node.arguments?.[i - given];
    if (value === undefined || takes === null) continue;
    if (fits(value, takes)) {
      if (argument !== undefined) noteGood(run, run.places.startOf(argument), "argument");
      continue;
    }
    if (isNone(something(value))) continue;
    noteArgument(run, node, name, i, takes, value, argument ?? node);
    return value.nothing ? NOTHING : NONE;
  }
  return values.some((value) => value.any || value.nothing) ? orNothing(rule.gives) : rule.gives;
}

function fits(value: Value, takes: Takes): boolean {
  if (value.any) return true;
  if (takes === "text") return value.strings !== null;
  if (takes === "number") return value.numbers !== null;
  if (value.numbers !== null) return true;
  if (value.list === null) return false;
  const items = value.list.items();
  return value.list.min === 0 || items.any || items.numbers !== null;
}

function noteArgument(
  run: Run,
  node: AstNode,
  name: string,
  index: number,
  takes: Takes,
  value: Value,
  argument: AstNode,
): void {
  if (run.notes === null) return;
  const wanted = { text: "text", number: "a number", numbers: "numbers" }[takes];
  const [text, sought] = (node.arguments ?? []).map((each) => run.places.textOf(each));
  const isList = value.list !== null && index === 0 && text !== undefined;
  const counts = isList && name === "length" ? `$count(${text})` : null;
  const isSearch = isList && name === "contains" && node.arguments?.[1]?.type !== "regex";
  const search = isSearch && sought !== undefined ? `${sought} in ${text}` : null;
  const message = `$${name} takes ${wanted}, not ${typesOf(something(value))}`;
  noteBad(run, "argument", "wrong-type", run.places.startOf(argument), message, counts ?? search);
}

/** Functions that call their last argument, a function, for each item of a list or each field of an object. */
const CALLERS: ReadonlySet<string> = new Set(["filter", "map", "single", "reduce", "each"]);

/** The values of a function's body, called with `given`. */
export function evaluateBody(run: Run, lambda: AstNode, given: readonly Value[], scope: Scope): Value {
  if (lambda.body === undefined) return ANY;
  const variables = new Map(scope.variables);
  for (const [i, { value }] of (lambda.arguments ?? []).entries())
    variables.set(String(value), given[i] ?? ANY);
  return run.evaluate(run, lambda.body, { ...within(scope, scope.focus), variables });
}

/** `list`: what is called with, an object for `each`; `initial`: the third argument of `reduce`. */
function evaluateCaller(
  run: Run,
  name: string,
  lambda: AstNode,
  list: Value,
  initial: Value | null,
  scope: Scope,
): Value {
  if (name === "each") {
    const result = evaluateBody(run, lambda, [ANY, STRING], scope);
    return collapsed(result, 0, Number.POSITIVE_INFINITY);
  }
  const { item, min, max } = itemsOf(list);
  const isEmpty = max === 0 || isNone(item);
  const parts = isEmpty ? [ANY] : partsOf(item);
  if (name === "reduce") {
    const results = parts.map((part) => evaluateBody(run, lambda, [ANY, part], scope));
    const start = initial ?? (isEmpty ? ANY : collapsed(item, Math.min(min, 1), 1));
    const all = union(start, unionOf(results));
    return list.nothing ? orNothing(all) : all;
  }
  const results = parts.map((part) => ({ part, result: evaluateBody(run, lambda, [part], scope) }));
  if (name === "map") {
    const made = unionOf(results.map(({ result }) => result));
    return isEmpty ? ANY : collapsed(made, made.nothing ? 0 : min, max);
  }
  if (list.any || isEmpty) return ANY;
  const left = unionOf(results.filter(({ result }) => truthOf(result).yes).map(({ part }) => part));
  if (name === "filter") return collapsed(left, 0, max);
  return list.nothing ? orNothing(left) : left;
}
