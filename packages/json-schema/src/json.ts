/** An expected outcome: a value, or the reason there is none. A bug throws instead. */
export type Result<T, E> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly error: E };

export function ok<T>(value: T): Result<T, never> {
  return { ok: true, value };
}

export function err<E>(error: E): Result<never, E> {
  return { ok: false, error };
}

export type JsonValue =
  | null
  | boolean
  | number
  | string
  | readonly JsonValue[]
  | { readonly [key: string]: JsonValue };

export type JsonObject = { readonly [key: string]: JsonValue };

/** A JSON object: no list, and not null. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A JSON Pointer (RFC 6901) from unescaped segments; no segment gives "". */
export function pointer(segments: readonly (string | number)[]): string {
  return segments.map((segment) => `/${escapeSegment(String(segment))}`).join("");
}

export function escapeSegment(segment: string): string {
  return segment.replaceAll("~", "~0").replaceAll("/", "~1");
}

/** Containers inside containers that a value may have. */
export const MAX_DEPTH = 128;

/** Elements and members that a value may have, its containers' included: a byte each in a file, 500 and more in memory. */
export const MAX_VALUES = 150_000;

// Node 20 and bun have it, TypeScript's ES2023 does not know it; a regular expression takes 30 ms for 32 MiB.
type WellFormed = { readonly isWellFormed: () => boolean };

/** Where the copy is: the way down from the root, and the containers that it passed. */
type Trail = {
  readonly segments: (string | number)[];
  readonly containers: object[];
  readonly limit: number;
  /** That may still come. */
  left: number;
};

/** Why a value is not plain JSON, or is larger than any real document. */
export type NotJson = {
  /** JSON Pointer into the value. */
  readonly path: string;
  readonly reason: string;
};

/** What a value may have beyond the limits: the wrapper around the value that they limit. */
export type Wrapping = { readonly levels: number; readonly values: number };

/** A deep, frozen copy of a JSON value, or what JSON would change or lose. */
export function copyJson(
  value: unknown,
  { levels, values }: Wrapping = { levels: 0, values: 0 },
): Result<JsonValue, NotJson> {
  const trail = { segments: [], containers: [], limit: MAX_DEPTH + levels, left: MAX_VALUES + values };
  try {
    return ok(copy(value, trail));
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return err({ path: error.path, reason: error.message });
  }
}

class Refusal extends Error {
  readonly path: string;
  constructor(path: string, reason: string) {
    super(reason);
    this.path = path;
  }
}

function copy(value: unknown, trail: Trail): JsonValue {
  if (trail.left === 0) refuse(trail, `it has more than ${MAX_VALUES} values`);
  trail.left -= 1;
  switch (typeof value) {
    case "string":
      return wellFormed(value, "the string", trail);
    case "number":
      return finite(value, trail);
    case "boolean":
      return value;
    case "object":
      return value === null ? null : copyContainer(value, trail);
    default:
      return refuse(trail, `${typeof value} is not JSON`);
  }
}

function wellFormed(text: string, what: string, trail: Trail): string {
  if (!(text as unknown as WellFormed).isWellFormed()) refuse(trail, `${what} has a lone surrogate`);
  return text;
}

/** `-0` becomes 0: both have the same bytes, and what is read back must equal what was stored. */
function finite(value: number, trail: Trail): number {
  if (!Number.isFinite(value)) refuse(trail, `${value} is not JSON`);
  return value === 0 ? 0 : value;
}

function copyContainer(value: object, trail: Trail): JsonValue {
  if (trail.containers.includes(value)) refuse(trail, "it contains itself");
  if (trail.containers.length >= trail.limit) refuse(trail, `it is nested deeper than ${MAX_DEPTH} levels`);
  trail.containers.push(value);
  const result = Array.isArray(value) ? copyArray(value, trail) : copyObject(value, trail);
  trail.containers.pop();
  return result;
}

function copyArray(value: readonly unknown[], trail: Trail): JsonValue {
  if (!isPlainArray(value)) refuse(trail, `${className(value)} is not a plain array`);
  const result: JsonValue[] = [];
  // By index, not by iterator: a hole is `undefined` here and refused.
  for (let index = 0; index < value.length; index += 1) {
    trail.segments.push(index);
    result.push(copy(value[index], trail));
    trail.segments.pop();
  }
  if (Object.keys(value).length !== value.length) refuse(trail, "an array with named properties is not JSON");
  return Object.freeze(result);
}

function copyObject(value: object, trail: Trail): JsonValue {
  if (!isPlainObject(value)) refuse(trail, `${className(value)} is not a plain object`);
  if (Object.getOwnPropertySymbols(value).length > 0) refuse(trail, "a symbol as a key is not JSON");
  const result: Record<string, JsonValue> = {};
  for (const [key, member] of Object.entries(value)) {
    trail.segments.push(key);
    setOwn(result, wellFormed(key, "the key", trail), copy(member, trail));
    trail.segments.pop();
  }
  return Object.freeze(result);
}

/** Assignment that also holds for the key `__proto__`, which would set the prototype otherwise. */
export function setOwn<T>(target: Record<string, T>, key: string, value: T): void {
  if (key !== "__proto__") {
    target[key] = value;
    return;
  }
  Object.defineProperty(target, key, { value, configurable: true, enumerable: true, writable: true });
}

// A prototype without a prototype is some realm's Object.prototype: values from another realm are plain too.
function isPlainObject(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

function isPlainArray(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Array.prototype || (prototype !== null && isPlainObject(Object(prototype)));
}

function className(value: object): string {
  const name: unknown = Object.getPrototypeOf(value)?.constructor?.name;
  return typeof name === "string" && name !== "" ? name : "this object";
}

function refuse(trail: Trail, reason: string): never {
  throw new Refusal(pointer(trail.segments), reason);
}
