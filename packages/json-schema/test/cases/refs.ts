import { type Case, invalid, json, valid } from "./case.js";

const TREE = {
  $defs: {
    node: {
      type: "object",
      properties: { value: { type: "number" }, children: { type: "array", items: { $ref: "#/$defs/node" } } },
      required: ["value"],
    },
  },
  $ref: "#/$defs/node",
};
const LIST = { type: ["object", "null"], properties: { next: { $ref: "#" } }, additionalProperties: false };
const named = (name: string, ref: string) => ({ $defs: { [name]: { type: "null" } }, $ref: ref });

export const REFS: readonly Case[] = [
  valid("a reference by name fits", { $defs: { n: { type: "number" } }, $ref: "#/$defs/n" }, 1),
  invalid(
    "a reference by name does not fit",
    { $defs: { n: { type: "number" } }, $ref: "#/$defs/n" },
    "1",
    "type",
  ),
  valid("a definition that nobody refers to says nothing", { $defs: { n: { type: "number" } } }, "x"),
  valid("a definition that is false says nothing either", { $defs: { n: false } }, "x"),
  invalid(
    "a reference to false takes nothing",
    { $defs: { never: false }, $ref: "#/$defs/never" },
    1,
    "false",
  ),
  valid("a reference to true takes everything", { $defs: { ever: true }, $ref: "#/$defs/ever" }, 1),
  invalid(
    "keywords beside a reference count",
    { $defs: { n: { type: "number" } }, $ref: "#/$defs/n", minimum: 3 },
    2,
    "minimum",
  ),
  invalid(
    "keywords beside a reference and its target count together",
    { $defs: { n: { multipleOf: 2 } }, $ref: "#/$defs/n", minimum: 3 },
    1,
    "minimum",
    "multipleOf",
  ),
  invalid(
    "a reference to a reference is followed",
    { $defs: { a: { $ref: "#/$defs/b" }, b: { type: "null" } }, $ref: "#/$defs/a" },
    0,
    "type",
  ),
  invalid(
    "a reference in a member is told there",
    { $defs: { n: { type: "number" } }, properties: { a: { $ref: "#/$defs/n" } } },
    { a: "1" },
    "/a type",
  ),
  invalid(
    "a reference in an item is told there",
    { $defs: { n: { type: "number" } }, items: { $ref: "#/$defs/n" } },
    [1, null],
    "/1 type",
  ),
  invalid(
    "a reference in a branch is followed",
    { $defs: { n: { type: "number" } }, anyOf: [{ $ref: "#/$defs/n" }] },
    "x",
    "anyOf",
  ),
  invalid(
    "a reference in not is followed",
    { $defs: { n: { type: "number" } }, not: { $ref: "#/$defs/n" } },
    1,
    "not",
  ),
  invalid(
    "a reference to a property's schema is followed",
    { properties: { a: { type: "null" }, b: { $ref: "#/properties/a" } } },
    { b: 1 },
    "/b type",
  ),
  invalid(
    "a reference to a place in a list is followed",
    { prefixItems: [{ type: "null" }, { $ref: "#/prefixItems/0" }] },
    [null, 1],
    "/1 type",
  ),
  invalid(
    "a reference to a branch is followed",
    { allOf: [{ type: "string" }], properties: { a: { $ref: "#/allOf/0" } } },
    {},
    "type",
  ),
  invalid(
    "a reference into a definition is followed",
    { $defs: { p: { properties: { x: { type: "null" } } } }, $ref: "#/$defs/p/properties/x" },
    1,
    "type",
  ),
  invalid(
    "a reference may stand before what it means",
    { $ref: "#/$defs/late", $defs: { late: { type: "null" } } },
    1,
    "type",
  ),

  valid("an anchor is a name", { $defs: { n: { $anchor: "num", type: "number" } }, $ref: "#num" }, 1),
  invalid(
    "an anchor's schema counts",
    { $defs: { n: { $anchor: "num", type: "number" } }, $ref: "#num" },
    "x",
    "type",
  ),
  invalid(
    "an anchor may stand in a member",
    { properties: { a: { $anchor: "here", type: "null" }, b: { $ref: "#here" } } },
    { b: 1 },
    "/b type",
  ),
  invalid(
    "an anchor at the root is the root",
    { $anchor: "top", type: "object", properties: { a: { $ref: "#top" } } },
    { a: 1 },
    "/a type",
  ),

  invalid("a slash in a pointer is ~1", named("a/b", "#/$defs/a~1b"), 1, "type"),
  invalid("a tilde in a pointer is ~0", named("a~b", "#/$defs/a~0b"), 1, "type"),
  invalid("~01 in a pointer is ~1 and no slash", named("~1", "#/$defs/~01"), 1, "type"),
  invalid("a percent sign in a pointer is encoded", named("a%b", "#/$defs/a%25b"), 1, "type"),
  invalid("a quote in a pointer is encoded", named('a"b', "#/$defs/a%22b"), 1, "type"),
  invalid("a space in a pointer is encoded", named("a b", "#/$defs/a%20b"), 1, "type"),
  invalid(
    "letters beyond ASCII in a pointer are encoded",
    named("größe", "#/$defs/gr%C3%B6%C3%9Fe"),
    1,
    "type",
  ),
  invalid(
    "letters beyond ASCII in a pointer may stand as they are",
    named("größe", "#/$defs/größe"),
    1,
    "type",
  ),
  invalid("the empty name in a pointer is nothing after a slash", named("", "#/$defs/"), 1, "type"),
  invalid("a definition named constructor is found", named("constructor", "#/$defs/constructor"), 1, "type"),
  invalid(
    "a definition named __proto__ is found",
    json('{"$defs":{"__proto__":{"type":"null"}},"$ref":"#/$defs/__proto__"}'),
    1,
    "type",
  ),

  valid("a tree fits", TREE, { value: 1, children: [{ value: 2 }, { value: 3, children: [] }] }),
  invalid(
    "a leaf of a tree does not fit",
    TREE,
    { value: 1, children: [{ value: 2, children: [{ value: "3" }] }] },
    "/children/0/children/0/value type",
  ),
  invalid(
    "a leaf of a tree lacks its value",
    TREE,
    { value: 1, children: [{}] },
    "/children/0/value required",
  ),
  valid("a list that ends fits", LIST, { next: { next: null } }),
  invalid(
    "a list with something else in it does not fit",
    LIST,
    { next: { next: { last: 1 } } },
    "/next/next/last additionalProperties",
  ),
  valid(
    "two definitions may refer to each other",
    {
      $defs: {
        even: { items: { $ref: "#/$defs/odd" } },
        odd: { type: "array", items: { $ref: "#/$defs/even" } },
      },
      $ref: "#/$defs/even",
    },
    [[[]]],
  ),
  valid("a property named $ref is a property", { properties: { $ref: { type: "string" } } }, { $ref: "a" }),
  invalid(
    "a property named $ref has a schema",
    { properties: { $ref: { type: "string" } } },
    { $ref: 1 },
    "/$ref type",
  ),
  invalid(
    "a property named $ref may have a reference",
    { properties: { $ref: { $ref: "#/$defs/s" } }, $defs: { s: { type: "string" } } },
    { $ref: 2 },
    "/$ref type",
  ),
  valid("a reference in a const is data", { const: { $ref: "#/$defs/a" } }, { $ref: "#/$defs/a" }),
  valid("a reference in an enum is data", { enum: [{ $ref: "#/$defs/a" }] }, { $ref: "#/$defs/a" }),
  valid("a reference in a default is data", { default: { $ref: "#/$defs/a" } }, 1),
  valid("an identifier at the root says nothing", { $id: "urn:example:a", type: "null" }, null),
];
