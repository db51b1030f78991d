import { suggest } from "@uncaged/workflow-protocol";
import type { AstNode } from "../engine/index.js";
import { JSONATA_FUNCTIONS } from "./context.js";
import { noteBad, noteGood, typesOf } from "./fixes.js";
import type { Run, Scope } from "./infer.js";
import { collapsed, itemsOf, partsOf, within } from "./path.js";
import {
  ANY,
  BOOLEAN,
  isNone,
  listOf,
  NONE,
  NOTHING,
  NUMBER,
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

type Takes = "text" | "number" | "numbers";

/** Functions that return nothing for nothing; with fewer arguments they use the context as one. */
type Simple = { readonly takes: readonly (Takes | null)[]; readonly gives: Value };

const COUNT = numberIn(0, Number.POSITIVE_INFINITY);
const TEXTS = union(
  STRING,
  listOf(() => STRING),
);

const SIMPLE: Readonly<Record<string, Simple>> = {
  contains: { takes: ["text", null], gives: BOOLEAN },
  length: { takes: ["text"], gives: COUNT },
  lowercase: { takes: ["text"], gives: STRING },
  uppercase: { takes: ["text"], gives: STRING },
  trim: { takes: ["text"], gives: STRING },
  substring: { takes: ["text", "number"], gives: STRING },
  substringBefore: { takes: ["text", "text"], gives: STRING },
  substringAfter: { takes: ["text", "text"], gives: STRING },
  replace: { takes: ["text", null, null], gives: STRING },
  split: { takes: ["text", null], gives: TEXTS },
  string: { takes: [null], gives: STRING },
  abs: { takes: ["number"], gives: COUNT },
  floor: { takes: ["number"], gives: NUMBER },
  ceil: { takes: ["number"], gives: NUMBER },
  round: { takes: ["number"], gives: NUMBER },
  sqrt: { takes: ["number"], gives: COUNT },
  power: { takes: ["number", "number"], gives: NUMBER },
  number: { takes: [null], gives: NUMBER },
  sum: { takes: ["numbers"], gives: NUMBER },
  max: { takes: ["numbers"], gives: orNothing(NUMBER) },
  min: { takes: ["numbers"], gives: orNothing(NUMBER) },
  average: { takes: ["numbers"], gives: orNothing(NUMBER) },
  join: { takes: [null], gives: STRING },
  keys: { takes: [null], gives: orNothing(TEXTS) },
};

const WITH_LAMBDA = ["filter", "map", "single"];

/** `given`: the left side of `~>`, which comes before the written arguments. */
export function evaluateCall(run: Run, node: AstNode, scope: Scope, given: readonly Value[] = []): Value {
  const name = calledName(run, node, scope);
  const written = node.arguments ?? [];
  const lambda = written.at(-1);
  if (name !== null && WITH_LAMBDA.includes(name) && lambda?.type === "lambda") {
    const list =
      given[0] ??
      (written.length > 1 && written[0] !== undefined ? run.evaluate(run, written[0], scope) : ANY);
    return evaluateWithLambda(run, name, list, lambda, scope);
  }
  const values = [...given, ...written.map((argument) => run.evaluate(run, argument, scope))];
  if (name === null) return ANY;
  if (values.some((value) => isNone(value))) return NONE;
  const [first] = values;
  switch (name) {
    case "count":
      return first === undefined ? ANY : countOf(first);
    case "exists":
      return first === undefined ? ANY : existence(first);
    case "boolean":
    case "not":
      return first === undefined ? ANY : asTruth(first, name === "not");
    case "type":
      return first === undefined ? ANY : typeName(first);
    case "distinct":
    case "reverse":
    case "sort":
      return first === undefined || first.any ? ANY : rearranged(first);
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
    if (run.notes !== null && name !== "" && name !== "$" && !UNTOLD.includes(name)) {
      noteBad(run.notes, "call", {
        code: "unknown-function",
        offset,
        message: `there is no function $${name}`,
        suggestion: dollar(suggest(name, [...JSONATA_FUNCTIONS, ...run.bound.keys()])),
        about: "part",
      });
    }
    return null;
  }
  if (run.notes !== null && bare?.type === "name" && bare.stages === undefined) {
    noteBad(run.notes, "call", {
      code: "unknown-function",
      offset,
      message: `${name} is not a function`,
      suggestion: name === "steps" ? indexOf(node) : dollar(suggest(name, JSONATA_FUNCTIONS)),
      about: "part",
    });
  }
  return null;
}

/** Banned functions are reported elsewhere. */
const UNTOLD = ["now", "millis", "random", "shuffle", "eval"];

function dollar(name: string | null): string | null {
  return name === null ? null : `$${name}`;
}

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
  const names = [
    value.isNull ? "null" : null,
    value.numbers === null ? null : "number",
    value.strings === null ? null : "string",
    value.isTrue || value.isFalse ? "boolean" : null,
    value.list === null ? null : "array",
    value.objects.length === 0 ? null : "object",
  ].filter((name) => name !== null);
  const result = oneOfStrings(names, known);
  return value.nothing ? orNothing(result) : result;
}

/** The same items, as a list or a single one. */
function rearranged(value: Value): Value {
  const { item, max } = itemsOf(value);
  if (item.any) return ANY;
  return union(
    value,
    listOf(() => item, 0, max),
  );
}

function simple(run: Run, node: AstNode, name: string, values: readonly Value[], given: number): Value {
  const rule = Object.hasOwn(SIMPLE, name) ? SIMPLE[name] : undefined;
  if (rule === undefined || values.length < rule.takes.length) return ANY;
  for (const [i, takes] of rule.takes.entries()) {
    const value = values[i];
    const argument = node.arguments?.[i - given];
    if (value === undefined || takes === null) continue;
    if (fits(value, takes)) {
      if (run.notes !== null && argument !== undefined)
        noteGood(run.notes, run.places.startOf(argument), "argument");
      continue;
    }
    if (isNone(something(value))) continue;
    if (run.notes !== null) noteArgument(run, node, name, i, takes, value, argument ?? node);
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
  const counts = name === "length" && value.list !== null && index === 0;
  const text = (node.arguments ?? [])[0];
  noteBad(run.notes, "argument", {
    code: "wrong-type",
    offset: run.places.startOf(argument),
    message: `$${name} takes ${wanted}, not ${typesOf(something(value))}`,
    suggestion: counts && text !== undefined ? `$count(${run.places.textOf(text)})` : null,
    about: "part",
  });
}

function evaluateWithLambda(run: Run, name: string, list: Value, lambda: AstNode, scope: Scope): Value {
  const { item, max } = itemsOf(list);
  const parameters = (lambda.arguments ?? []).map(({ value }) => String(value));
  const body = lambda.thunk === true ? undefined : lambda.body;
  const parts = max === 0 || isNone(item) ? [ANY] : partsOf(item);
  const results = parts.map((part) => {
    const variables = new Map(scope.variables);
    for (const [i, parameter] of parameters.entries()) {
      if (run.bound.get(parameter) === 1) variables.set(parameter, i === 0 ? part : ANY);
    }
    const inner = { ...within(scope, scope.focus), variables };
    return { part, result: body === undefined ? ANY : run.evaluate(run, unwrapped(body), inner) };
  });
  if (name !== "filter" || list.any || max === 0) return ANY;
  const left = unionOf(results.filter(({ result }) => truthOf(result).yes).map(({ part }) => part));
  return collapsed(left, 0, max);
}

/** jsonata wraps a call at the end of a lambda into another lambda without arguments. */
function unwrapped(body: AstNode): AstNode {
  return body.type === "lambda" && body.thunk === true && body.body !== undefined ? body.body : body;
}
