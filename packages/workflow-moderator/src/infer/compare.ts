import {
  FALSE,
  holdsNumber,
  isNone,
  meet,
  NONE,
  NOTHING,
  type Numbers,
  orNothing,
  something,
  type Value,
} from "./value.js";

/** The abstract result of `=`: which outcomes are possible. */
export function canBeEqual(a: Value, b: Value): boolean {
  if (a.any || b.any) return true;
  return !isNone(meet(something(a), something(b)));
}

export function canDiffer(a: Value, b: Value): boolean {
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
  const { numbers, strings } = value;
  if (literal === null) return { ...value, isNull: false };
  if (literal === true) return { ...value, isTrue: false };
  if (literal === false) return { ...value, isFalse: false };
  if (typeof literal === "string" && strings !== null && strings.only !== null) {
    const only = new Set([...strings.only].filter((text) => text !== literal));
    return { ...value, strings: only.size === 0 ? null : { ...strings, only } };
  }
  if (
    typeof literal === "number" &&
    numbers !== null &&
    numbers.only !== null &&
    holdsNumber(numbers, literal)
  ) {
    const only = new Set([...numbers.only].filter((number) => number !== literal));
    return { ...value, numbers: only.size === 0 ? null : { ...numbers, only } };
  }
  return value;
}
