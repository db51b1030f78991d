import { isHash } from "@uncaged/json-cas";

// Cheap checks of a payload's shape, on the way of every step where a schema validator is too slow. They give the
// first thing that is wrong, or `null`; its place is put together only then, on the way out.

/** What is wrong, and where: `roles.developer.goal`; "" is the value itself. */
type Wrong = { readonly at: string; readonly what: string };

/** Checks one value. */
export type Shape = (value: unknown) => Wrong | null;

type Fields = Readonly<Record<string, Shape>>;

export const text: Shape = (value) => (typeof value === "string" ? null : wrong(value, "a text"));

export const ref: Shape = (value) => (isHash(value) ? null : wrong(value, "a hash"));

export function orNull(shape: Shape): Shape {
  return (value) => (value === null ? null : shape(value));
}

export function listOf(shape: Shape): Shape {
  return (value) => (Array.isArray(value) ? first(value.entries(), shape) : wrong(value, "a list"));
}

export function mapOf(shape: Shape): Shape {
  return (value) => (isMap(value) ? first(Object.entries(value), shape) : wrong(value, "a map"));
}

export function fields(shapes: Fields): Shape {
  const members = Object.entries(shapes);
  return (value) => {
    if (!isMap(value)) return wrong(value, "a map");
    for (const [name, shape] of members) {
      const problem = shape(Object.hasOwn(value, name) ? value[name] : undefined);
      if (problem !== null) return inside(name, problem);
    }
    return null;
  };
}

/** What is wrong as words: `roles.developer.goal is missing`. */
export function wordsOf({ at, what }: Wrong): string {
  return `${at === "" ? "the payload" : at} ${what}`;
}

function first(entries: Iterable<readonly [string | number, unknown]>, shape: Shape): Wrong | null {
  for (const [key, value] of entries) {
    const problem = shape(value);
    if (problem !== null) return inside(String(key), problem);
  }
  return null;
}

function isMap(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function wrong(value: unknown, expected: string): Wrong {
  return { at: "", what: value === undefined ? "is missing" : `is not ${expected}` };
}

function inside(name: string, { at, what }: Wrong): Wrong {
  return { at: at === "" ? name : `${name}.${at}`, what };
}
