import { type Case, invalid, valid } from "./case.js";

const SMALL_AND_EVEN = { allOf: [{ maximum: 10 }, { multipleOf: 2 }] };
const NUMBER_OR_LONG = { anyOf: [{ type: "number" }, { type: "string", minLength: 3 }] };
const SHAPE = {
  oneOf: [
    { properties: { kind: { const: "circle" }, radius: { type: "number" } }, required: ["kind", "radius"] },
    { properties: { kind: { const: "square" }, side: { type: "number" } }, required: ["kind", "side"] },
  ],
};

export const BRANCHES: readonly Case[] = [
  valid("all of them fit", SMALL_AND_EVEN, 4),
  invalid("the first of all does not fit", SMALL_AND_EVEN, 12, "maximum"),
  invalid("the second of all does not fit", SMALL_AND_EVEN, 3, "multipleOf"),
  invalid("none of all fits", SMALL_AND_EVEN, 13, "maximum", "multipleOf"),
  invalid(
    "all of them and the schema around count",
    { ...SMALL_AND_EVEN, minimum: 0 },
    -3,
    "minimum",
    "multipleOf",
  ),
  valid("all of one is that one", { allOf: [{ type: "null" }] }, null),
  valid("all of true fits", { allOf: [true, true] }, 1),
  invalid("all of true and false does not fit", { allOf: [true, false] }, 1, "false"),
  invalid("all inside all counts", { allOf: [{ allOf: [{ type: "null" }] }] }, 1, "type"),
  invalid(
    "all of them may speak of one member",
    { allOf: [{ properties: { a: { type: "number" } } }, { properties: { a: { minimum: 3 } } }] },
    { a: 2 },
    "/a minimum",
  ),
  invalid(
    "all of them may require members",
    { allOf: [{ required: ["a"] }, { required: ["b"] }] },
    {},
    "/a required",
    "/b required",
  ),
  invalid(
    "one violation reached on two ways is told once",
    { allOf: [{ type: "null" }, { type: "null" }] },
    1,
    "type",
  ),

  valid("the first of any fits", NUMBER_OR_LONG, 1),
  valid("the second of any fits", NUMBER_OR_LONG, "abc"),
  invalid("where one branch was meant, its violations are told", NUMBER_OR_LONG, "ab", "minLength"),
  invalid("where no branch was meant, the kinds are told", NUMBER_OR_LONG, null, "anyOf"),
  valid("both of any fit", { anyOf: [{ type: "integer" }, { minimum: 2 }] }, 3),
  valid("any of true and false fits", { anyOf: [false, true] }, {}),
  invalid("any of false does not fit", { anyOf: [false, false] }, {}, "anyOf"),
  valid("any with an empty schema fits", { anyOf: [{ type: "null" }, {}] }, 1),
  invalid(
    "any with the schema around has to fit both",
    { type: "string", anyOf: [{ minLength: 2 }, { const: "a" }] },
    1,
    "type",
  ),
  valid("any inside any fits", { anyOf: [{ anyOf: [{ type: "null" }] }] }, null),
  invalid(
    "a branch of an object is chosen by a constant",
    { anyOf: SHAPE.oneOf },
    { kind: "square", side: "long" },
    "/side type",
  ),
  invalid(
    "branches that are all meant are told side by side",
    { anyOf: [{ required: ["a"] }, { required: ["b"] }] },
    {},
    "anyOf",
  ),

  valid("exactly one fits", { oneOf: [{ type: "integer" }, { minimum: 2 }] }, 1),
  valid("exactly the other fits", { oneOf: [{ type: "integer" }, { minimum: 2 }] }, 2.5),
  invalid("both of one fit", { oneOf: [{ type: "integer" }, { minimum: 2 }] }, 3, "oneOf"),
  invalid("none of one fits", { oneOf: [{ type: "integer" }, { minimum: 2 }] }, 1.5, "minimum"),
  valid("one of false and true fits", { oneOf: [false, true, false] }, 1),
  invalid("one of true and true does not fit", { oneOf: [true, true, false] }, 1, "oneOf"),
  invalid("one of false does not fit", { oneOf: [false, false] }, 1, "oneOf"),
  valid("one of circle and square is a circle", SHAPE, { kind: "circle", radius: 1 }),
  invalid("a circle without a radius is told as a circle", SHAPE, { kind: "circle" }, "/radius required"),
  invalid(
    "a circle with a wrong radius is told as a circle",
    SHAPE,
    { kind: "circle", radius: "1" },
    "/radius type",
  ),
  invalid("a triangle is none of them", SHAPE, { kind: "triangle" }, "oneOf"),
  valid("one of required members is there", { oneOf: [{ required: ["a"] }, { required: ["b"] }] }, { a: 1 }),
  invalid(
    "both of required members are there",
    { oneOf: [{ required: ["a"] }, { required: ["b"] }] },
    { a: 1, b: 1 },
    "oneOf",
  ),
  invalid(
    "a branch inside a member is told there",
    { properties: { a: { oneOf: [{ type: "null" }, { type: "string" }] } } },
    { a: 1 },
    "/a oneOf",
  ),

  valid("what is not forbidden fits", { not: { type: "integer" } }, "a"),
  invalid("what is forbidden does not fit", { not: { type: "integer" } }, 1, "not"),
  invalid("not true takes nothing", { not: true }, null, "not"),
  invalid("not the empty schema takes nothing", { not: {} }, {}, "not"),
  valid("not false takes everything", { not: false }, null),
  valid("not not is the same", { not: { not: { type: "null" } } }, null),
  invalid("not not forbids the same", { not: { not: { type: "null" } } }, 1, "not"),
  valid("a forbidden member is absent", { not: { required: ["a"] } }, { b: 1 }),
  invalid("a forbidden member is present", { not: { required: ["a"] } }, { a: 1 }, "not"),
  valid("not a list of types takes the others", { not: { type: ["string", "null"] } }, 1),
  invalid("not in a member is told there", { properties: { a: { not: { const: 0 } } } }, { a: 0 }, "/a not"),
  invalid("not either is neither", { not: { anyOf: [{ type: "string" }, { type: "null" }] } }, null, "not"),
  invalid(
    "all, any and one count together",
    { allOf: [{ multipleOf: 2 }], anyOf: [{ multipleOf: 3 }], oneOf: [{ multipleOf: 5 }] },
    10,
    "multipleOf",
  ),
  valid(
    "all, any and one fit together",
    { allOf: [{ multipleOf: 2 }], anyOf: [{ multipleOf: 3 }], oneOf: [{ multipleOf: 5 }] },
    30,
  ),
];
