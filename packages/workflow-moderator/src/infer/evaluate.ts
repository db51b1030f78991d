import { type AstNode, nodesOf } from "../engine/index.js";
import { equality, noteComparison, noteInclusion, noteOrder, order, scalarsOf } from "./compare.js";
import { literalFor, noteBad, noteGood, typesOf } from "./fixes.js";
import { evaluateBody, evaluateCall } from "./functions.js";
import type { Run, Scope } from "./infer.js";
import { evaluatePath, filtered } from "./path.js";
import { assume, keyOf } from "./refine.js";
import { enumerated } from "./schema.js";
import { JSONATA_FUNCTIONS, MATCH, OBJECT } from "./signatures.js";
import {
  ANY,
  BOOLEAN,
  FALSE,
  FUNCTION,
  isNone,
  listOf,
  NONE,
  NOTHING,
  NUMBER,
  orNothing,
  STRING,
  something,
  truthOf,
  union,
  unionOf,
  type Value,
} from "./value.js";

/** The possible values of a node in a scope; a node that is not understood may have any value. */
export function evaluate(run: Run, node: AstNode, scope: Scope): Value {
  run.fuel.left -= 1;
  if (run.fuel.left < 0) return ANY;
  let value = evaluateType(run, node, scope);
  for (const { expr } of node.predicate ?? []) {
    if (expr !== undefined) value = filtered(run, expr, value, scope);
  }
  const { group, keepArray } = node as { readonly group?: unknown; readonly keepArray?: unknown };
  if (group !== undefined) return orNothing(OBJECT);
  return keepArray === true ? ANY : value;
}

function evaluateType(run: Run, node: AstNode, scope: Scope): Value {
  switch (node.type) {
    case "string":
    case "number":
    case "value":
      return literal(node.value);
    case "path": {
      const key = scope.refined.size === 0 ? null : keyOf(node);
      const known = key === null ? undefined : scope.refined.get(key);
      const value = evaluatePath(run, node, scope);
      return known ?? value;
    }
    case "variable":
      return variable(run, node, scope);
    case "binary":
      return binary(run, node, scope);
    case "unary":
      return unary(run, node, scope);
    case "block":
      return block(run, node, scope);
    case "condition":
      return choice(run, node, scope);
    case "bind":
      return bind(run, node, scope);
    case "function":
      return evaluateCall(run, node, scope);
    case "apply":
      return apply(run, node, scope);
    case "lambda":
      // jsonata wraps a call at the end of a function's body into another function.
      if (node.thunk === true) return node.body === undefined ? ANY : run.evaluate(run, node.body, scope);
      evaluateBody(run, node, [], scope);
      return FUNCTION;
    case "regex":
    case "partial":
    case "transform":
      return FUNCTION;
    default:
      return ANY;
  }
}

function literal(value: unknown): Value {
  const known = enumerated([value]);
  return known.strings === null ? known : { ...known, strings: { ...known.strings, known: null } };
}

function variable(run: Run, node: AstNode, scope: Scope): Value {
  const name = String(node.value);
  if (name === "") return scope.focus;
  if (name === "$") return scope.root;
  if (!run.bound.has(name)) return JSONATA_FUNCTIONS.includes(name) ? FUNCTION : ANY;
  return (run.bound.get(name) === 1 ? scope.variables.get(name) : undefined) ?? ANY;
}

function bind(run: Run, node: AstNode, scope: Scope): Value {
  const value = node.rhs === undefined ? ANY : run.evaluate(run, node.rhs, scope);
  scope.variables.set(String(node.lhs?.value), value);
  return value;
}

function block(run: Run, node: AstNode, scope: Scope): Value {
  const inner = { ...scope, variables: new Map(scope.variables) };
  let value: Value = NOTHING;
  for (const expression of node.expressions ?? []) {
    value = run.evaluate(run, expression, inner);
    if (isNone(value)) return NONE;
  }
  return value;
}

function unary(run: Run, node: AstNode, scope: Scope): Value {
  if (node.value === "[") {
    const values = (node.expressions ?? []).map((item) => run.evaluate(run, item, scope));
    if (values.some(isNone)) return NONE;
    const plain = values.every((value) => !value.any && !value.nothing && value.list === null);
    const items = unionOf(values.map((value) => (value.list === null ? value : ANY)));
    return plain ? listOf(() => items, values.length, values.length) : listOf(() => something(ANY));
  }
  if (node.value === "{") return OBJECT;
  if (node.value !== "-" || node.expression === undefined) return ANY;
  const value = run.evaluate(run, node.expression, scope);
  return value.any || value.nothing ? orNothing(NUMBER) : NUMBER;
}

/** The value of `node` in a narrower scope, without reporting problems. */
function again(run: Run, node: AstNode, scope: Scope | null): Value {
  return scope === null ? NONE : evaluate({ ...run, notes: null }, node, scope);
}

function assumed(run: Run, node: AstNode, truth: boolean, scope: Scope): Scope | null {
  return run.refines ? assume({ ...run, notes: null }, node, truth, scope) : scope;
}

function choice(run: Run, node: AstNode, scope: Scope): Value {
  const { condition, then, else: otherwise } = node;
  if (condition === undefined || then === undefined) return ANY;
  const { yes, no } = truthOf(run.evaluate(run, condition, scope));
  const branch = (part: AstNode | undefined, truth: boolean): Value => {
    if (part === undefined) return NOTHING;
    const plain = run.evaluate(run, part, scope);
    const inner = assumed(run, condition, truth, scope);
    return inner === scope ? plain : again(run, part, inner);
  };
  return union(yes ? branch(then, true) : NONE, no ? branch(otherwise, false) : NONE);
}

function apply(run: Run, node: AstNode, scope: Scope): Value {
  const { lhs, rhs } = node;
  if (lhs === undefined || rhs === undefined) return ANY;
  const given = run.evaluate(run, lhs, scope);
  if (given.any || given.isFunction) return ANY;
  if (rhs.type === "function") return evaluateCall(run, rhs, scope, [given]);
  if (rhs.type === "variable") {
    return evaluateCall(run, { type: "function", procedure: rhs }, scope, [given]);
  }
  if (rhs.type === "regex") return isNone(given) ? NONE : orNothing(MATCH);
  return rhs.type === "lambda" ? evaluateBody(run, rhs, [given], scope) : ANY;
}

function binary(run: Run, node: AstNode, scope: Scope): Value {
  const { lhs, rhs } = node;
  if (lhs === undefined || rhs === undefined) return ANY;
  const operator = String(node.value);
  if (operator === "and" || operator === "or") return connective(run, operator, lhs, rhs, scope);
  hintWords(run, lhs, rhs, scope);
  const left = run.evaluate(run, lhs, scope);
  const right = run.evaluate(run, rhs, scope);
  switch (operator) {
    case "=":
    case "!=":
      noteComparison(run, node, left, right);
      return equality(operator, left, right);
    case "<":
    case "<=":
    case ">":
    case ">=": {
      const result = order(operator, left, right);
      noteOrder(run, node, left, right, result);
      return result ?? NONE;
    }
    case "in":
      return inclusion(run, node, left, right);
    case "&":
      return isNone(left) || isNone(right) ? NONE : STRING;
    case "+":
    case "-":
    case "*":
    case "/":
    case "%":
      return arithmetic(run, node, left, right);
    default:
      return ANY;
  }
}

/** `status = blocked`: a word without quotes is a field of the context. */
function hintWords(run: Run, lhs: AstNode, rhs: AstNode, scope: Scope): void {
  for (const [word, other] of [
    [rhs, lhs],
    [lhs, rhs],
  ] as const) {
    const [step, ...more] = word.type === "path" ? (word.steps ?? []) : [];
    if (step?.type !== "name" || more.length > 0 || step.stages !== undefined || run.notes === null) continue;
    const value = again(run, other, scope);
    const { strings } = value;
    const text = String(step.value);
    const known = strings?.known?.names ?? [...(strings?.only ?? [])];
    if (!value.any && strings !== null && (strings.only === null || known.includes(text))) {
      if (!/^(true|false|null)$/i.test(text)) run.hints.set(step, `'${text}'`);
    }
  }
}

function connective(run: Run, operator: "and" | "or", lhs: AstNode, rhs: AstNode, scope: Scope): Value {
  const leftValue = run.evaluate(run, lhs, scope);
  if (isNone(leftValue)) return NONE;
  noteOperand(run, operator, lhs, null);
  const left = truthOf(leftValue);
  const decides = operator === "or";
  const goesOn = decides ? left.no : left.yes;
  if (!goesOn) return decides ? { ...NONE, isTrue: true } : FALSE;
  const plain = run.evaluate(run, rhs, scope);
  noteOperand(run, operator, rhs, lhs);
  const inner = assumed(run, lhs, !decides, scope);
  const value = inner === scope ? plain : again(run, rhs, inner);
  if (!decides && run.notes !== null) noteContradiction(run, rhs, plain, value);
  const right = truthOf(value);
  return decides
    ? { ...NONE, isTrue: left.yes || right.yes, isFalse: right.no }
    : { ...NONE, isTrue: right.yes, isFalse: left.no || right.no };
}

/** `status = 'a' or 'b'` */
function noteOperand(run: Run, operator: string, operand: AstNode, before: AstNode | null): void {
  if (run.notes === null || (operand.type !== "string" && operand.type !== "number")) return;
  const path = before?.type === "binary" && before.value === "=" ? before.lhs : undefined;
  const values = before?.rhs;
  const list = operator === "or" && path?.type === "path" && values?.type === "string";
  const shown = run.places.textOf(operand);
  const code = operand.value === "" || operand.value === 0 ? "never-true" : "always-true";
  const message = `${shown} is an operand of ${operator} by itself; it is not compared with anything`;
  const suggestion = list ? `${run.places.textOf(path)} in [${run.places.textOf(values)}, ${shown}]` : null;
  noteBad(run, "operand", code, run.places.startOf(operand), message, suggestion);
}

function noteContradiction(run: Run, rhs: AstNode, plain: Value, value: Value): void {
  const offset = run.places.startOf(rhs);
  if (!truthOf(plain).yes || truthOf(value).yes) {
    noteGood(run, offset, "contradiction");
    return;
  }
  const message = `${run.places.textOf(rhs)} is never true together with the part before it`;
  noteBad(run, "contradiction", "never-true", offset, message);
}

function inclusion(run: Run, node: AstNode, left: Value, right: Value): Value {
  noteInclusion(run, node, left, right);
  if (isNone(left) || isNone(right)) return NONE;
  if (left.any || right.any) return BOOLEAN;
  const lists = right.list === null ? NONE : right.list.items();
  const among = union({ ...right, list: null, nothing: false }, lists);
  const may = among.any || equality("=", something(left), something(among)).isTrue;
  return { ...NONE, isTrue: may, isFalse: !isOneOf(left, node.rhs) };
}

/** Whether a value is always an item of a list of literals. */
function isOneOf(value: Value, list: AstNode | undefined): boolean {
  const items = list?.type === "unary" && list.value === "[" ? (list.expressions ?? []) : [];
  const isLiteral = items.every(({ type }) => type === "string" || type === "number" || type === "value");
  const all = value.nothing || list?.predicate !== undefined ? null : scalarsOf(value);
  return isLiteral && all?.every((scalar) => items.some((item) => item.value === scalar)) === true;
}

function arithmetic(run: Run, node: AstNode, left: Value, right: Value): Value {
  for (const [value, part] of [
    [left, node.lhs],
    [right, node.rhs],
  ] as const) {
    if (isNone(value)) return NONE;
    if (part === undefined || value.any || isNone(something(value))) continue;
    if (value.numbers !== null) {
      noteGood(run, run.places.startOf(part), "number");
      continue;
    }
    const number = part.type === "string" ? literalFor(NUMBER, part.value) : null;
    const joins = number === null && node.value === "+" && value.strings !== null;
    const offset = joins ? Math.max(0, (node.position ?? 1) - 1) : run.places.startOf(part);
    const message = `${String(node.value)} takes numbers, not ${typesOf(something(value))}`;
    noteBad(run, "number", "wrong-type", offset, message, joins ? "&" : number);
    return value.nothing ? NOTHING : NONE;
  }
  const nothing = left.any || right.any || left.nothing || right.nothing;
  return nothing ? orNothing(NUMBER) : NUMBER;
}

/** How often each name is bound in a tree: by each `$x := …`, and once as the parameter of any functions. */
export function boundIn(ast: AstNode): ReadonlyMap<string, number> {
  const bound = new Map<string, number>();
  const parameters = new Set<string>();
  const add = (name: unknown): void => {
    if (typeof name === "string") bound.set(name, (bound.get(name) ?? 0) + 1);
  };
  for (const node of nodesOf(ast)) {
    const { focus, index } = node as { readonly focus?: unknown; readonly index?: unknown };
    if (node.type === "bind") add(node.lhs?.value);
    if (node.type === "lambda") for (const { value } of node.arguments ?? []) parameters.add(String(value));
    add(focus);
    add(index);
    for (const stage of node.stages ?? [])
      if (stage.type === "index") add((stage as { value?: unknown }).value);
  }
  for (const name of parameters) add(name);
  return bound;
}
