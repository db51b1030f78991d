import { suggest } from "@uncaged/workflow-protocol";
import type { AstNode } from "../engine/index.js";
import { choices, type Found, literalFor, noteBad, noteGood, typesOf } from "./fixes.js";
import type { Run } from "./infer.js";
import { itemsOf } from "./path.js";
import { enumerated } from "./schema.js";
import {
  FALSE,
  isNone,
  kindsOf,
  meet,
  NONE,
  NOTHING,
  NUMBER,
  type Numbers,
  orNothing,
  something,
  type Value,
} from "./value.js";

/** The abstract result of `=`: which outcomes are possible. */
function canBeEqual(a: Value, b: Value): boolean {
  if (a.any || b.any) return true;
  return !isNone(meet(something(a), something(b)));
}

function canDiffer(a: Value, b: Value): boolean {
  const [one, other] = [onlyScalar(a), onlyScalar(b)];
  return one === null || other === null || one.value !== other.value;
}

/** The scalars that a value can be, ignoring "nothing"; `null`: it can be something else, or there are too many. */
export function scalarsOf(value: Value): readonly unknown[] | null {
  const { numbers, strings } = value;
  if (value.any || value.objects.length > 0 || value.list !== null || value.isFunction) return null;
  const all: unknown[] = [];
  if (value.isNull) all.push(null);
  if (value.isTrue) all.push(true);
  if (value.isFalse) all.push(false);
  if (numbers !== null) {
    if (numbers.only === null && numbers.min !== numbers.max) return null;
    all.push(...(numbers.only ?? [numbers.min]));
  }
  if (strings !== null) {
    if (strings.only === null) return null;
    all.push(...strings.only);
  }
  return all;
}

/** The scalar that a value always is, ignoring "nothing". */
export function onlyScalar(value: Value): { readonly value: unknown } | null {
  const all = scalarsOf(value);
  return all?.length === 1 ? { value: all[0] } : null;
}

/** `=` and `!=`; "nothing" is neither equal to nor different from anything. */
export function equality(operator: "=" | "!=", left: Value, right: Value): Value {
  const [a, b] = [something(left), something(right)];
  if (isNone(left) || isNone(right)) return NONE;
  if (!left.any && isNone(a)) return FALSE;
  if (!right.any && isNone(b)) return FALSE;
  const nothing = left.nothing || right.nothing;
  const equal = canBeEqual(a, b);
  const differ = canDiffer(a, b);
  return operator === "="
    ? { ...NONE, isTrue: equal, isFalse: differ || nothing }
    : { ...NONE, isTrue: differ, isFalse: equal || nothing };
}

/** `<`, `<=`, `>`, `>=`: two numbers or two texts; anything else throws. `null`: always throws. */
export function order(operator: string, left: Value, right: Value): Value | null {
  if (isNone(left) || isNone(right)) return NONE;
  if (left.any || right.any) return orNothing({ ...NONE, isTrue: true, isFalse: true });
  let result = NONE;
  const comparable = (value: Value): boolean => value.numbers !== null || value.strings !== null;
  if (left.nothing || right.nothing) {
    const fits = (value: Value): boolean => value.nothing || comparable(value);
    if (fits(left) && fits(right)) result = NOTHING;
  }
  if (left.strings !== null && right.strings !== null) result = { ...result, isTrue: true, isFalse: true };
  if (left.numbers !== null && right.numbers !== null) {
    const { yes, no } = orderOfNumbers(operator, left.numbers, right.numbers);
    result = { ...result, isTrue: result.isTrue || yes, isFalse: result.isFalse || no };
  }
  return isNone(result) ? null : result;
}

function orderOfNumbers(
  operator: string,
  a: Numbers,
  b: Numbers,
): { readonly yes: boolean; readonly no: boolean } {
  if (operator === "<") return { yes: a.min < b.max, no: a.max >= b.min };
  if (operator === "<=") return { yes: a.min <= b.max, no: a.max > b.min };
  if (operator === ">") return { yes: a.max > b.min, no: a.min <= b.max };
  return { yes: a.max >= b.min, no: a.min < b.max };
}

/** A value without one literal. */
export function without(value: Value, literal: unknown): Value {
  if (value.any) return value;
  const { strings } = value;
  if (literal === null) return { ...value, isNull: false };
  if (literal === true) return { ...value, isTrue: false };
  if (literal === false) return { ...value, isFalse: false };
  if (typeof literal === "string" && strings !== null && strings.only !== null) {
    const only = new Set([...strings.only].filter((text) => text !== literal));
    return { ...value, strings: only.size === 0 ? null : { ...strings, only } };
  }
  return value;
}

const LITERALS: ReadonlySet<string> = new Set(["string", "number", "value"]);

/** `=` and `!=` */
export function noteComparison(run: Run, node: AstNode, left: Value, right: Value): void {
  const { lhs, rhs } = node;
  if (run.notes === null || lhs === undefined || rhs === undefined) return;
  const [a, b] = [something(left), something(right)];
  if (isNone(a) || isNone(b)) return;
  const [one, other] = LITERALS.has(lhs.type) && !LITERALS.has(rhs.type) ? [rhs, lhs] : [lhs, rhs];
  const [path, literal] = one === lhs ? [a, b] : [b, a];
  const place = LITERALS.has(other.type) ? run.places.startOf(other) : run.places.startOf(node);
  if (canBeEqual(a, b)) {
    noteGood(run, place, "equal");
    return;
  }
  const outcome = node.value === "=" ? "" : `, so != is always true where it is there`;
  const { message, code, suggestion, about } = difference(run, one, path, other, literal);
  const absent = other.value === null && (one === lhs ? left : right).nothing;
  const fix = suggestion ?? (absent ? `$not($exists(${run.places.textOf(one)}))` : null);
  noteBad(run, "equal", code, place, `${message}${outcome}`, fix, about);
}

type Difference = Omit<Found, "offset">;

function neverTrue(message: string, about: Found["about"] = "part"): Difference {
  return { code: "never-true", message, suggestion: null, about };
}

/** Why two values are never equal. */
function difference(run: Run, one: AstNode, path: Value, other: AstNode, literal: Value): Difference {
  const name = run.places.textOf(one);
  const shown = run.places.textOf(other);
  const isLiteral = LITERALS.has(other.type);
  if (!kindsOf(path).some((kind) => kindsOf(literal).includes(kind))) {
    const compared = isLiteral ? shown : `${shown}, which is ${typesOf(literal)}`;
    const message = `${name} is ${typesOf(path)}, never equal to ${compared}`;
    const suggestion = isLiteral ? fixFor(run, one, path, other, shown) : null;
    return { code: "cannot-be-equal", message, suggestion, about: "part" };
  }
  if (path.strings !== null && literal.strings !== null) return differentTexts(name, path, other, shown);
  if (path.numbers !== null && literal.numbers !== null) {
    if (LITERALS.has(one.type)) return neverTrue(`${name} is never equal to ${shown}`);
    const message = `${name} is ${rangeOf(path.numbers)}, never ${shown}`;
    return { ...neverTrue(message), code: "unknown-value" };
  }
  const about = isLiteral && path.objects.length === 0 ? "part" : "whole";
  return neverTrue(`${name} is ${typesOf(path)}, never ${shown}`, about);
}

function differentTexts(name: string, path: Value, other: AstNode, shown: string): Difference {
  const { known = null, only = null } = path.strings ?? {};
  const text = String(other.value);
  if (other.type !== "string" || known === null) return neverTrue(`${name} is never equal to ${shown}`);
  const { names, what } = known;
  // It is a role, only not here: a condition used after several roles may test for each of them.
  if (names.includes(text))
    return neverTrue(`${name} is only ${choices([...(only ?? [])])} here, never ${shown}`, "whole");
  const near = nearest(text, names);
  const suggestion = near === null ? null : `'${near}'`;
  return what === "role"
    ? {
        ...neverTrue(`there is no role ${shown}; the roles are ${choices(names)}`),
        code: "unknown-role",
        suggestion,
      }
    : {
        ...neverTrue(`${name} is never ${shown}; it is ${choices(names)}`),
        code: "unknown-value",
        suggestion,
      };
}

/** Near, or the same word in another form: `dropped` for `drop`. */
function nearest(text: string, names: readonly string[]): string | null {
  const word = text.trim().toLowerCase();
  const isForm = (name: string): boolean =>
    name.length >= 3 && word.length >= 3 && (word.startsWith(name) || name.startsWith(word));
  const lower = (name: string): string => name.toLowerCase();
  return (
    suggest(text, names) ??
    names.find((name) => lower(name) === word) ??
    names.find((name) => isForm(lower(name))) ??
    null
  );
}

function fixFor(run: Run, one: AstNode, path: Value, other: AstNode, shown: string): string | null {
  const fix = literalFor(path, other.value);
  if (fix !== null) return fix;
  const items = path.list?.items();
  if (items !== undefined && (items.any || canBeEqual(items, enumerated([other.value])))) {
    return `${shown} in ${run.places.textOf(one)}`;
  }
  return null;
}

function rangeOf({ min, max, only }: Numbers): string {
  if (only !== null && only.size < 6) return [...only].join(" or ");
  if (min === max) return String(min);
  if (max === Number.POSITIVE_INFINITY) return `at least ${min}`;
  return min === Number.NEGATIVE_INFINITY ? `at most ${max}` : `from ${min} to ${max}`;
}

/** `<`, `<=`, `>`, `>=`; `result` is `null` if they always throw. */
export function noteOrder(run: Run, node: AstNode, left: Value, right: Value, result: Value | null): void {
  const { lhs, rhs } = node;
  if (run.notes === null || lhs === undefined || rhs === undefined) return;
  const [a, b] = [something(left), something(right)];
  if (isNone(a) || isNone(b)) return;
  const counts = a.list !== null && a.strings === null;
  const offset = run.places.startOf(LITERALS.has(rhs.type) && !counts ? rhs : lhs);
  const operator = String(node.value);
  if (result === null || (!result.isTrue && !result.isFalse)) {
    const literal = rhs.type === "string" && a.numbers !== null ? literalFor(NUMBER, rhs.value) : null;
    const message = `${operator} compares two numbers or two texts, not ${typesOf(a)} and ${typesOf(b)}`;
    const counted = counts ? `$count(${run.places.textOf(lhs)})` : null;
    noteBad(run, "order", "wrong-type", offset, message, literal ?? counted);
    return;
  }
  if (result.isTrue || a.numbers === null) {
    noteGood(run, offset, "order");
    return;
  }
  const message = `${run.places.textOf(lhs)} is ${rangeOf(a.numbers)}, never ${operator} ${run.places.textOf(rhs)}`;
  const about = LITERALS.has(rhs.type) && !isContext(lhs) ? "part" : "whole";
  noteBad(run, "order", "never-true", offset, message, null, about);
}

/** The number of steps depends on where the condition is evaluated. */
function isContext(node: AstNode): boolean {
  return node.type === "function" && node.procedure?.value === "count";
}

/** Whether a value can be this literal. */
function noteLiteral(run: Run, path: AstNode, value: Value, literal: AstNode): void {
  const sought = enumerated([literal.value]);
  const offset = run.places.startOf(literal);
  if (canBeEqual(value, sought)) {
    noteGood(run, offset, "equal");
    return;
  }
  const { code, message, suggestion, about } = difference(run, path, value, literal, sought);
  noteBad(run, "equal", code, offset, message, suggestion, about);
}

/** `x in ['a', 'b']`: each text must be one that `x` can be. */
export function noteInclusion(run: Run, node: AstNode, left: Value, right: Value): void {
  const { lhs, rhs } = node;
  if (run.notes === null || lhs === undefined || rhs === undefined) return;
  const a = something(left);
  if (left.any || isNone(a)) return;
  const items = rhs.type === "unary" && rhs.value === "[" ? (rhs.expressions ?? []) : [];
  if (LITERALS.has(lhs.type) && !LITERALS.has(rhs.type) && items.length === 0) {
    // `'a' in x`: one item of `x` must be able to be it.
    const { item } = itemsOf(right);
    if (!item.any && !isNone(item)) noteLiteral(run, rhs, item, lhs);
    return;
  }
  const literals = LITERALS.has(rhs.type) ? [rhs] : items.filter(({ type }) => LITERALS.has(type));
  for (const literal of literals) noteLiteral(run, lhs, a, literal);
  if (literals.length > 0 || right.any) return;
  const listed = right.list?.items();
  if (listed?.any === true) return;
  // `tags in 'x'`: the list is on the left.
  const offset = run.places.startOf(lhs);
  const scalar = a.numbers !== null || a.strings !== null || a.isTrue || a.isFalse || a.isNull;
  if (scalar || a.objects.length > 0) {
    noteGood(run, offset, "in");
    return;
  }
  const [one, other] = [run.places.textOf(lhs), run.places.textOf(rhs)];
  const swapped = right.list === null ? `${other} in ${one}` : null;
  noteBad(run, "in", "never-true", offset, `a list is never an item of ${other}`, swapped);
}
