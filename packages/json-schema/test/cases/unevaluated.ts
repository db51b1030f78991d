// biome-ignore-all lint/suspicious/noThenProperty: the keyword of JSON Schema is called so
import { type Case, invalid, json, valid } from "./case.js";

const CLOSED = { unevaluatedProperties: false };
const A = { properties: { a: { type: "string" } } };
const B = { properties: { b: { type: "number" } }, required: ["b"] };
const C = { properties: { c: { type: "boolean" } }, required: ["c"] };
const END = { unevaluatedItems: false };

export const UNEVALUATED: readonly Case[] = [
  valid("an empty object has nothing unevaluated", CLOSED, {}),
  invalid("a member that nothing speaks of is unevaluated", CLOSED, { a: 1 }, "/a unevaluatedProperties"),
  valid("unevaluatedProperties say nothing of an array", CLOSED, [1]),
  valid("unevaluatedProperties say nothing of a text", CLOSED, "a"),
  valid("unevaluatedProperties that are true take all", { unevaluatedProperties: true }, { a: 1 }),
  invalid("they may have a schema", { unevaluatedProperties: { minLength: 3 } }, { a: "ab" }, "/a minLength"),
  valid("properties beside are evaluated", { ...A, ...CLOSED }, { a: "x" }),
  invalid(
    "other members beside properties are not",
    { ...A, ...CLOSED },
    { a: "x", b: 1 },
    "/b unevaluatedProperties",
  ),
  valid(
    "members of a pattern beside are evaluated",
    { patternProperties: { "^a": true }, ...CLOSED },
    { ab: 1 },
  ),
  valid("additional members beside are evaluated", { additionalProperties: true, ...CLOSED }, { a: 1 }),
  valid("members of all branches are evaluated", { allOf: [A, B], ...CLOSED }, { a: "x", b: 1 }),
  invalid(
    "members of no branch of all are not",
    { allOf: [A, B], ...CLOSED },
    { a: "x", b: 1, c: true },
    "/c unevaluatedProperties",
  ),
  valid("members of a branch of any that fits are evaluated", { anyOf: [B, C], ...CLOSED }, { b: 1 }),
  valid(
    "members of all branches of any that fit are evaluated",
    { anyOf: [B, C], ...CLOSED },
    { b: 1, c: true },
  ),
  invalid(
    "members of a branch of any that does not fit are not",
    { anyOf: [B, C], ...CLOSED },
    { b: 1, c: "no" },
    "/c unevaluatedProperties",
  ),
  valid("members of the one branch are evaluated", { oneOf: [B, C], ...CLOSED }, { c: true }),
  invalid(
    "members beside the one branch are not",
    { oneOf: [B, C], ...CLOSED },
    { c: true, d: 1 },
    "/d unevaluatedProperties",
  ),
  invalid(
    "members that not speaks of are not evaluated",
    { not: { not: { properties: { a: true }, required: ["a"] } }, ...CLOSED },
    { a: 1 },
    "/a unevaluatedProperties",
  ),
  valid("members of a condition that holds are evaluated", { if: B, ...CLOSED }, { b: 1 }),
  invalid(
    "members of a condition that does not hold are not",
    { if: B, ...CLOSED },
    { b: "x" },
    "/b unevaluatedProperties",
  ),
  valid("members of then are evaluated", { if: B, then: C, ...CLOSED }, { b: 1, c: true }),
  valid("members of else are evaluated", { if: B, else: C, ...CLOSED }, { c: false }),
  invalid(
    "members of a condition are not, where else applies",
    { if: B, else: C, ...CLOSED },
    { b: "x", c: false },
    "/b unevaluatedProperties",
  ),
  valid(
    "members behind a reference are evaluated",
    { $defs: { a: A }, $ref: "#/$defs/a", ...CLOSED },
    { a: "x" },
  ),
  invalid(
    "members beside a reference are not",
    { $defs: { a: A }, $ref: "#/$defs/a", ...CLOSED },
    { z: 1 },
    "/z unevaluatedProperties",
  ),
  valid(
    "members of a cause that is there are evaluated",
    { properties: { a: true }, dependentSchemas: { a: B }, ...CLOSED },
    { a: 1, b: 2 },
  ),
  invalid(
    "members of a cause that is not there are not",
    { properties: { a: true }, dependentSchemas: { a: B }, ...CLOSED },
    { b: 2 },
    "/b unevaluatedProperties",
  ),
  invalid(
    "members are evaluated on their own level only",
    { properties: { a: { properties: { b: true } } }, ...CLOSED },
    { a: {}, b: 1 },
    "/b unevaluatedProperties",
  ),
  invalid(
    "a closed member does not look outside",
    { properties: { a: { ...CLOSED } } },
    { a: { b: 1 } },
    "/a/b unevaluatedProperties",
  ),
  invalid(
    "a closed branch does not look at its neighbours",
    { allOf: [A, CLOSED] },
    { a: "x" },
    "/a unevaluatedProperties",
  ),
  valid(
    "unevaluatedProperties of a branch evaluate for those around",
    { allOf: [{ unevaluatedProperties: true }], ...CLOSED },
    { a: 1 },
  ),
  invalid(
    "an own __proto__ is unevaluated",
    CLOSED,
    json('{"__proto__":1}'),
    "/__proto__ unevaluatedProperties",
  ),
  valid("the order of the keywords does not matter", { ...CLOSED, ...A }, { a: "x" }),
  invalid("required evaluates nothing", { required: ["a"], ...CLOSED }, { a: 1 }, "/a unevaluatedProperties"),
  valid(
    "members in a tree are evaluated level by level",
    { properties: { next: { $ref: "#" } }, ...CLOSED },
    { next: { next: {} } },
  ),
  invalid(
    "a member too many in a tree is told there",
    { properties: { next: { $ref: "#" } }, ...CLOSED },
    { next: { last: 1 } },
    "/next/last unevaluatedProperties",
  ),

  valid("an empty array has nothing unevaluated", END, []),
  invalid("an item that nothing speaks of is unevaluated", END, [1], "/0 unevaluatedItems"),
  valid("unevaluatedItems say nothing of an object", END, { a: 1 }),
  valid("unevaluatedItems say nothing of a text", END, "abc"),
  invalid(
    "unevaluatedItems may have a schema",
    { unevaluatedItems: { type: "string" } },
    ["a", 1],
    "/1 type",
  ),
  valid("items of a prefix are evaluated", { prefixItems: [true, true], ...END }, [1, 2]),
  invalid("items after a prefix are not", { prefixItems: [true], ...END }, [1, 2], "/1 unevaluatedItems"),
  valid("items evaluate all of them", { items: true, ...END }, [1, 2, 3]),
  valid(
    "items of the longest prefix of all are evaluated",
    { allOf: [{ prefixItems: [true] }, { prefixItems: [true, true] }], ...END },
    [1, 2],
  ),
  invalid(
    "items after the longest prefix of all are not",
    { allOf: [{ prefixItems: [true] }, { prefixItems: [true, true] }], ...END },
    [1, 2, 3],
    "/2 unevaluatedItems",
  ),
  valid("items that contains has found are evaluated", { contains: { type: "string" }, ...END }, ["a", "b"]),
  invalid(
    "items that contains has passed over are not",
    { contains: { type: "string" }, ...END },
    ["a", 1],
    "/1 unevaluatedItems",
  ),
  valid(
    "items that contains of two branches have found are evaluated",
    { allOf: [{ contains: { multipleOf: 2 } }, { contains: { multipleOf: 3 } }], ...END },
    [2, 3, 6],
  ),
  invalid(
    "items that neither has found are not",
    { allOf: [{ contains: { multipleOf: 2 } }, { contains: { multipleOf: 3 } }], ...END },
    [2, 3, 5],
    "/2 unevaluatedItems",
  ),
  valid(
    "items of a branch of any that fits are evaluated",
    { anyOf: [{ prefixItems: [{ const: 1 }] }, { prefixItems: [true, { const: 2 }] }], ...END },
    [3, 2],
  ),
  invalid(
    "items of a branch of any that does not fit are not",
    { anyOf: [{ prefixItems: [{ const: 1 }] }, { prefixItems: [true, { const: 2 }] }], ...END },
    [1, 3],
    "/1 unevaluatedItems",
  ),
  valid(
    "items behind a reference are evaluated",
    { $defs: { p: { prefixItems: [true] } }, $ref: "#/$defs/p", ...END },
    [1],
  ),
  valid(
    "items of then are evaluated",
    { if: { prefixItems: [{ const: 1 }] }, then: { prefixItems: [true, true] }, ...END },
    [1, 2],
  ),
  invalid(
    "items of then are not, where else applies",
    { if: { prefixItems: [{ const: 1 }] }, then: { prefixItems: [true, true] }, else: true, ...END },
    [2],
    "/0 unevaluatedItems",
  ),
  invalid(
    "items of an item are on their own level",
    { items: { prefixItems: [true], ...END } },
    [[1, 2]],
    "/0/1 unevaluatedItems",
  ),
  valid(
    "unevaluatedItems of a branch evaluate for those around",
    { allOf: [{ unevaluatedItems: true }], ...END },
    [1],
  ),
  invalid(
    "items that not speaks of are not evaluated",
    { not: { not: { prefixItems: [true], minItems: 1 } }, ...END },
    [1],
    "/0 unevaluatedItems",
  ),
];
