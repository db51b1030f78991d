import { runInNewContext } from "node:vm";
import { describe, expect, it } from "vitest";
import { CasError, checkStorable, freezeCopy } from "../../src/index.js";

class Point {
  x = 1;
}

function cyclic(): unknown {
  const value: Record<string, unknown> = { a: [1] };
  (value.a as unknown[]).push(value);
  return value;
}

export function nested(depth: number): unknown {
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
  ["129 levels", nested(129), `${"/0/a".repeat(64)}`, /deeper than 128/],
];

describe("checkStorable", () => {
  for (const [what, value, path, reason] of REFUSED) {
    it(`refuses ${what}, naming the place`, () => {
      try {
        checkStorable(value);
        expect.unreachable();
      } catch (error) {
        expect(error).toBeInstanceOf(CasError);
        const { fault } = error as CasError;
        expect(fault).toMatchObject({ code: "NOT_STORABLE", reason: expect.stringMatching(reason) });
        if (what !== "129 levels") expect(fault).toMatchObject({ path });
      }
    });
  }

  it("takes 128 levels", () => {
    expect(() => checkStorable(nested(128))).not.toThrow();
  });

  it("takes plain objects without a prototype and from another realm", () => {
    const bare = Object.assign(Object.create(null), { a: 1 });
    expect(freezeCopy(bare)).toEqual({ a: 1 });
    expect(freezeCopy(runInNewContext("({ a: [1, { b: null }] })"))).toEqual({ a: [1, { b: null }] });
  });

  it("takes the same object twice, which is no cycle", () => {
    const shared = { a: 1 };
    expect(freezeCopy([shared, shared])).toEqual([{ a: 1 }, { a: 1 }]);
  });
});

describe("freezeCopy", () => {
  it("copies __proto__ as an own key and leaves the prototype alone", () => {
    const copy = freezeCopy(JSON.parse('{"__proto__": {"polluted": true}}')) as object;
    expect(Object.keys(copy)).toEqual(["__proto__"]);
    expect((copy as Record<string, unknown>).polluted).toBeUndefined();
  });

  it("freezes every level and leaves the original as it was", () => {
    const original = { a: [{ b: 1 }] };
    const copy = freezeCopy(original) as typeof original;
    expect(Object.isFrozen(copy.a[0])).toBe(true);
    expect(Object.isFrozen(original)).toBe(false);
  });
});
