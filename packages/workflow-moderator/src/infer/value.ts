/**
 * The possible values of an expression: a superset of those that it really can have. "Nothing" is JSONata's `undefined`.
 * If `any` is true, nothing is known and the other fields have no meaning.
 */
export type Value = {
  readonly any: boolean;
  readonly nothing: boolean;
  readonly isNull: boolean;
  readonly isTrue: boolean;
  readonly isFalse: boolean;
  readonly numbers: Numbers | null;
  readonly strings: Strings | null;
  readonly objects: readonly Shape[];
  readonly list: List | null;
  readonly isFunction: boolean;
};

/** Both ends are included; `only` lists the numbers if there are few. */
export type Numbers = {
  readonly min: number;
  readonly max: number;
  readonly only: ReadonlySet<number> | null;
};

/** `known`: all texts that the author may mean, if more than `only`, for example all roles. */
type Strings = {
  readonly only: ReadonlySet<string> | null;
  readonly known: { readonly what: "role" | "value"; readonly names: readonly string[] } | null;
};

/** A list; `last` is its last item if more is known about it than about the others. */
type List = {
  readonly items: () => Value;
  readonly min: number;
  readonly max: number;
  readonly last: (() => Value) | null;
};

/** Objects of one kind. */
export type Shape = {
  /** Its name in sentences: `the output of reviewer`. */
  readonly what: string;
  readonly kind: "context" | "start" | "step" | "output" | "object";
  readonly names: () => readonly string[];
  readonly field: (name: string) => Field;
};

/** `undeclared`: no schema mentions or forbids it. */
export type Field = {
  readonly presence: "always" | "maybe" | "undeclared" | "never";
  readonly value: () => Value;
};

/** No value at all: it always throws. */
export const NONE: Value = {
  any: false,
  nothing: false,
  isNull: false,
  isTrue: false,
  isFalse: false,
  numbers: null,
  strings: null,
  objects: [],
  list: null,
  isFunction: false,
};

export const ANY: Value = { ...NONE, any: true, nothing: true };
export const NOTHING: Value = { ...NONE, nothing: true };
export const TRUE: Value = { ...NONE, isTrue: true };
export const FALSE: Value = { ...NONE, isFalse: true };
export const BOOLEAN: Value = { ...NONE, isTrue: true, isFalse: true };
export const NULL: Value = { ...NONE, isNull: true };
export const FUNCTION: Value = { ...NONE, isFunction: true };
export const NUMBER: Value = numberIn(Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY);
export const STRING: Value = { ...NONE, strings: { only: null, known: null } };

/** A union keeps at most this many kinds of objects separate; above that it is less precise but still correct. */
const MOST_SHAPES = 32;

export function numberIn(min: number, max: number): Value {
  return { ...NONE, numbers: { min, max, only: null } };
}

export function oneOfNumbers(only: ReadonlySet<number>): Value {
  return only.size === 0
    ? NONE
    : { ...NONE, numbers: { min: Math.min(...only), max: Math.max(...only), only } };
}

export function oneOfStrings(names: Iterable<string>, known: Strings["known"] = null): Value {
  const only = new Set(names);
  return only.size === 0 ? NONE : { ...NONE, strings: { only, known } };
}

export function object(shape: Shape): Value {
  return { ...NONE, objects: [shape] };
}

export function listOf(items: () => Value, min = 0, max = Number.POSITIVE_INFINITY): Value {
  return { ...NONE, list: { items, min, max, last: null } };
}

export function orNothing(value: Value): Value {
  return value.nothing ? value : { ...value, nothing: true };
}

export function something(value: Value): Value {
  return { ...value, nothing: false };
}

export function union(a: Value, b: Value): Value {
  if (a === b || isNone(b)) return a;
  if (isNone(a)) return b;
  if (a.any || b.any) return ANY;
  const objects = [...a.objects, ...b.objects.filter((shape) => !a.objects.includes(shape))];
  if (objects.length > MOST_SHAPES) return ANY;
  return {
    any: false,
    nothing: a.nothing || b.nothing,
    isNull: a.isNull || b.isNull,
    isTrue: a.isTrue || b.isTrue,
    isFalse: a.isFalse || b.isFalse,
    numbers: bothOr(a.numbers, b.numbers, uniteNumbers),
    strings: bothOr(a.strings, b.strings, uniteStrings),
    objects,
    list: bothOr(a.list, b.list, uniteLists),
    isFunction: a.isFunction || b.isFunction,
  };
}

export function unionOf(values: Iterable<Value>): Value {
  let all = NONE;
  for (const value of values) all = union(all, value);
  return all;
}

/** The intersection, or a superset of it. */
export function meet(a: Value, b: Value): Value {
  if (a === b || b.any) return b.nothing ? a : { ...a, any: a.any, nothing: false };
  if (a.any) return a.nothing ? b : { ...b, nothing: false };
  return {
    any: false,
    nothing: a.nothing && b.nothing,
    isNull: a.isNull && b.isNull,
    isTrue: a.isTrue && b.isTrue,
    isFalse: a.isFalse && b.isFalse,
    numbers: bothAnd(a.numbers, b.numbers, meetNumbers),
    strings: bothAnd(a.strings, b.strings, meetStrings),
    objects: meetShapes(a.objects, b.objects),
    list: bothAnd(a.list, b.list, meetLists),
    isFunction: a.isFunction && b.isFunction,
  };
}

export function isNone(value: Value): boolean {
  return !value.any && !value.nothing && kindsOf(value).length === 0;
}

/** What `$type` gives for the values; "nothing" has no type. */
export function kindsOf(value: Value): readonly string[] {
  const kinds = [
    value.isNull ? "null" : null,
    value.numbers === null ? null : "number",
    value.strings === null ? null : "string",
    value.isTrue || value.isFalse ? "boolean" : null,
    value.list === null ? null : "array",
    value.objects.length === 0 ? null : "object",
    value.isFunction ? "function" : null,
  ];
  return kinds.filter((kind) => kind !== null);
}

/** JSONata's cast to boolean; "nothing" counts as false. */
export function truthOf(value: Value): { readonly yes: boolean; readonly no: boolean } {
  const { numbers, strings } = value;
  const compound = value.any || value.objects.length > 0 || value.list !== null;
  const zero = numbers !== null && holdsNumber(numbers, 0);
  const otherThanZero = numbers !== null && (numbers.only?.size ?? 2) > (zero ? 1 : 0);
  const empty = strings !== null && (strings.only === null || strings.only.has(""));
  const filled = strings !== null && (strings.only?.size ?? 2) > (empty ? 1 : 0);
  return {
    yes: compound || value.isTrue || (otherThanZero && !(numbers?.min === 0 && numbers.max === 0)) || filled,
    no: compound || value.nothing || value.isNull || value.isFalse || value.isFunction || zero || empty,
  };
}

function holdsNumber({ min, max, only }: Numbers, number: number): boolean {
  return only === null ? number >= min && number <= max : only.has(number);
}

/** Computes a value on demand, at most once. */
export function lazily<T>(make: () => T): () => T {
  let made: { readonly value: T } | null = null;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

function bothOr<T>(a: T | null, b: T | null, unite: (a: T, b: T) => T): T | null {
  if (a === null) return b;
  return b === null ? a : unite(a, b);
}

function bothAnd<T>(a: T | null, b: T | null, cut: (a: T, b: T) => T | null): T | null {
  return a === null || b === null ? null : cut(a, b);
}

function uniteNumbers(a: Numbers, b: Numbers): Numbers {
  const only = a.only === null || b.only === null ? null : new Set([...a.only, ...b.only]);
  return { min: Math.min(a.min, b.min), max: Math.max(a.max, b.max), only };
}

function uniteStrings(a: Strings, b: Strings): Strings {
  const only = a.only === null || b.only === null ? null : new Set([...a.only, ...b.only]);
  if (a.known === null || b.known === null || a.known === b.known) {
    return { only, known: a.known === b.known ? a.known : null };
  }
  const what = a.known.what === b.known.what ? a.known.what : "value";
  return { only, known: { what, names: [...new Set([...a.known.names, ...b.known.names])] } };
}

function uniteLists(a: List, b: List): List {
  return {
    items: lazily(() => union(a.items(), b.items())),
    min: Math.min(a.min, b.min),
    max: Math.max(a.max, b.max),
    last: null,
  };
}

function meetNumbers(a: Numbers, b: Numbers): Numbers | null {
  const few = a.only ?? b.only;
  const min = Math.max(a.min, b.min);
  const max = Math.min(a.max, b.max);
  if (few === null) return min <= max ? { min, max, only: null } : null;
  const only = new Set([...few].filter((number) => holdsNumber(a, number) && holdsNumber(b, number)));
  return oneOfNumbers(only).numbers;
}

function meetStrings(a: Strings, b: Strings): Strings | null {
  const known = a.known ?? b.known;
  if (a.only === null) return { only: b.only, known };
  const { only } = b;
  if (only === null) return { only: a.only, known };
  return oneOfStrings(
    [...a.only].filter((text) => only.has(text)),
    known,
  ).strings;
}

function meetLists(a: List, b: List): List | null {
  const min = Math.max(a.min, b.min);
  const max = Math.min(a.max, b.max);
  if (min > max) return null;
  return { items: lazily(() => meet(a.items(), b.items())), min, max, last: a.last ?? b.last };
}

function meetShapes(a: readonly Shape[], b: readonly Shape[]): readonly Shape[] {
  if (a.length * b.length > MOST_SHAPES) return a.length === 0 || b.length === 0 ? [] : a;
  return a.flatMap((one) => b.map((other) => (one === other ? one : meetShape(one, other))));
}

function meetShape(a: Shape, b: Shape): Shape {
  return {
    what: a.what,
    kind: a.kind,
    names: lazily(() => [...new Set([...a.names(), ...b.names()])]),
    field: (name) => meetField(a.field(name), b.field(name)),
  };
}

/** If one side does not declare a field, the other one decides. */
function meetField(a: Field, b: Field): Field {
  if (a.presence === "never" || b.presence === "never") return { presence: "never", value: () => NOTHING };
  if (a.presence === "undeclared") return b;
  if (b.presence === "undeclared") return a;
  const presence = a.presence === "always" || b.presence === "always" ? "always" : "maybe";
  return { presence, value: lazily(() => meet(a.value(), b.value())) };
}
