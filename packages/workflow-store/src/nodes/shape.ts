import { isHash } from "@uncaged/json-cas";

// Cheap checks of a payload's shape, on the way of every step where a schema validator is too slow. They give the
// first thing that is wrong as words (`roles.developer.goal is missing`), or `null`.

/** Checks one value that stands at `at`. */
export type Shape = (value: unknown, at: string) => string | null;

type Fields = Readonly<Record<string, Shape>>;

export const text: Shape = (value, at) => (typeof value === "string" ? null : wrong(value, at, "a text"));

export const ref: Shape = (value, at) => (isHash(value) ? null : wrong(value, at, "a hash"));

export function orNull(shape: Shape): Shape {
  return (value, at) => (value === null ? null : shape(value, at));
}

export function listOf(shape: Shape): Shape {
  return (value, at) => {
    if (!Array.isArray(value)) return wrong(value, at, "a list");
    return first(value.entries(), shape, at);
  };
}

export function mapOf(shape: Shape): Shape {
  return (value, at) => (isMap(value) ? first(Object.entries(value), shape, at) : wrong(value, at, "a map"));
}

export function fields(shapes: Fields): Shape {
  const names = Object.keys(shapes);
  return (value, at) => {
    if (!isMap(value)) return wrong(value, at, "a map");
    for (const name of names) {
      const problem = shapes[name]?.(Object.hasOwn(value, name) ? value[name] : undefined, join(at, name));
      if (problem) return problem;
    }
    return null;
  };
}

function first(
  entries: Iterable<readonly [string | number, unknown]>,
  shape: Shape,
  at: string,
): string | null {
  for (const [key, value] of entries) {
    const problem = shape(value, join(at, String(key)));
    if (problem !== null) return problem;
  }
  return null;
}

function isMap(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function wrong(value: unknown, at: string, expected: string): string {
  const name = at === "" ? "the payload" : at;
  return value === undefined ? `${name} is missing` : `${name} is not ${expected}`;
}

function join(at: string, name: string): string {
  return at === "" ? name : `${at}.${name}`;
}
