import { runInNewContext } from "node:vm";
import { describe, expect, it } from "vitest";
import { copyJson, type JsonValue } from "../../src/index.js";

class Point {
  x = 1;
}

function cyclic(): unknown {
  const value: Record<string, unknown> = { a: [1] };
  (value.a as unknown[]).push(value);
  return value;
}

function nested(depth: number): unknown {
  let value: unknown = 1;
  for (let level = 0; level < depth; level += 1) value = level % 2 === 0 ? [value] : { a: value };
  return value;
}

const REFUSED: readonly (readonly [string, unknown, string, RegExp])[] = [
  ["undefined", undefined, "", /undefined is not JSON/],
  ["undefined in an object", { a: { b: undefined } }, "/a/b", /undefined/],
  ["a hole in an array", Object.assign([1], { 2: 3 }), "/1", /undefined/],
  ["NaN", [Number.NaN], "/0", /NaN/],
  ["infinity", { "a/b~c": Number.NEGATIVE_INFINITY }, "/a~1b~0c", /-Infinity/],
  ["a bigint", 1n, "", /bigint/],
  ["a function", { f: () => 1 }, "/f", /function/],
  ["a symbol", Symbol("s"), "", /symbol/],
  ["a symbol as a key", { [Symbol("s")]: 1 }, "", /symbol as a key/],
  ["a date", new Date(), "", /Date/],
  ["a map", new Map(), "", /Map/],
  ["a set", { s: new Set() }, "/s", /Set/],
  ["a class instance", new Point(), "", /Point/],
  ["a typed array", new Uint8Array(2), "", /Uint8Array/],
  ["a boxed string", Object("x"), "", /String/],
  ["an array with a name", Object.assign([1], { name: 2 }), "", /named properties/],
  ["an array of a subclass", new (class Rows extends Array {})(), "", /plain array/],
  ["a cycle", cyclic(), "/a/1", /contains itself/],
  ["a lone surrogate", ["\udc00"], "/0", /lone surrogate/],
  ["a lone surrogate in a key", { "\ud800": 1 }, "/\ud800", /lone surrogate/],
  ["129 levels", nested(129), "/0/a".repeat(64), /deeper than 128/],
];

function copyOf(value: unknown): JsonValue {
  const copied = copyJson(value);
  if (!copied.ok) throw new Error(`${copied.error.path}: ${copied.error.reason}`);
  return copied.value;
}

describe("copyJson", () => {
  for (const [what, value, path, reason] of REFUSED) {
    it(`refuses ${what}, naming the place`, () => {
      const copied = copyJson(value);
      expect(copied).toEqual({ ok: false, error: { path, reason: expect.stringMatching(reason) } });
    });
  }

  it("takes 128 levels, and those of a wrapping", () => {
    expect(copyJson(nested(128)).ok).toBe(true);
    expect(copyJson({ payload: nested(128) }, { levels: 1, values: 1 }).ok).toBe(true);
    expect(copyJson({ payload: nested(129) }, { levels: 1, values: 1 }).ok).toBe(false);
  });

  it("takes plain objects without a prototype and from another realm", () => {
    const bare = Object.assign(Object.create(null), { a: 1 });
    expect(copyOf(bare)).toEqual({ a: 1 });
    expect(copyOf(runInNewContext("({ a: [1, { b: null }] })"))).toEqual({ a: [1, { b: null }] });
  });

  it("takes the same object twice, which is no cycle", () => {
    const shared = { a: 1 };
    expect(copyOf([shared, shared])).toEqual([{ a: 1 }, { a: 1 }]);
  });

  it("copies __proto__ as an own key and leaves the prototype alone", () => {
    const copy = copyOf(JSON.parse('{"__proto__": {"polluted": true}}')) as object;
    expect(Object.keys(copy)).toEqual(["__proto__"]);
    expect((copy as Record<string, unknown>).polluted).toBeUndefined();
  });

  it("makes 0 of -0", () => {
    expect(Object.is((copyOf([-0]) as number[])[0], 0)).toBe(true);
  });

  it("freezes every level and leaves the original as it was", () => {
    const original = { a: [{ b: 1 }] };
    const copy = copyOf(original) as typeof original;
    expect(Object.isFrozen(copy.a[0])).toBe(true);
    expect(Object.isFrozen(original)).toBe(false);
  });
});
