import { type Case, invalid, json, valid } from "./case.js";

const CARD = { dependentRequired: { card: ["billing", "name"] } };
const SHIPPED = {
  dependentSchemas: { shipped: { required: ["date"], properties: { date: { type: "string" } } } },
};

export const REQUIRED: readonly Case[] = [
  valid("a required member is there", { required: ["a"] }, { a: 1 }),
  invalid("a required member is missing, at its place", { required: ["a"] }, {}, "/a required"),
  invalid(
    "each missing member is named",
    { required: ["a", "b", "c"] },
    { b: 1 },
    "/a required",
    "/c required",
  ),
  valid("nothing is required by an empty list", { required: [] }, {}),
  valid("a member that is null is there", { required: ["a"] }, { a: null }),
  valid("a member that is false is there", { required: ["a"] }, { a: false }),
  invalid("an inherited toString is not there", { required: ["toString"] }, {}, "/toString required"),
  invalid(
    "an inherited constructor is not there",
    { required: ["constructor"] },
    {},
    "/constructor required",
  ),
  invalid("an inherited __proto__ is not there", { required: ["__proto__"] }, {}, "/__proto__ required"),
  valid("an own __proto__ is there", { required: ["__proto__"] }, json('{"__proto__":null}')),
  valid("required says nothing of an array", { required: ["length"] }, []),
  valid("required says nothing of a text", { required: ["length"] }, ""),
  valid("required says nothing of null", { required: ["a"] }, null),
  invalid("a missing member with a slash is escaped", { required: ["a/b"] }, {}, "/a~1b required"),
  invalid("the empty name may be required", { required: [""] }, { a: 1 }, "/ required"),
  invalid(
    "a member of a member is missing there",
    { properties: { a: { required: ["b"] } } },
    { a: {} },
    "/a/b required",
  ),
  invalid(
    "a member of an item is missing there",
    { items: { required: ["id"] } },
    [{ id: 1 }, {}],
    "/1/id required",
  ),
  invalid("a name in another case is missing", { required: ["Id"] }, { id: 1 }, "/Id required"),

  valid("without the cause nothing else is required", CARD, { name: "Ada" }),
  valid("with the cause all is there", CARD, { card: 1, billing: 2, name: 3 }),
  invalid("with the cause one is missing", CARD, { card: 1, name: 3 }, "/billing dependentRequired"),
  invalid(
    "with the cause all are missing",
    CARD,
    { card: null },
    "/billing dependentRequired",
    "/name dependentRequired",
  ),
  valid("an empty object has no cause", CARD, {}),
  valid("dependentRequired says nothing of an array", CARD, ["card"]),
  valid("dependentRequired says nothing of a text", CARD, "card"),
  valid("a cause may require nothing", { dependentRequired: { a: [] } }, { a: 1 }),
  invalid(
    "two causes may require each other",
    { dependentRequired: { a: ["b"], b: ["a"] } },
    { b: 1 },
    "/a dependentRequired",
  ),
  valid("an inherited constructor is no cause", { dependentRequired: { constructor: ["a"] } }, {}),
  invalid(
    "an own __proto__ is a cause",
    json('{"dependentRequired":{"__proto__":["a"]}}'),
    json('{"__proto__":1}'),
    "/a dependentRequired",
  ),

  valid("without the cause its schema does not apply", SHIPPED, { date: 1 }),
  valid("with the cause its schema fits", SHIPPED, { shipped: true, date: "today" }),
  invalid("with the cause its schema does not fit", SHIPPED, { shipped: true }, "/date required"),
  invalid("with the cause a member does not fit", SHIPPED, { shipped: false, date: 1 }, "/date type"),
  invalid("a schema that is false forbids its cause", { dependentSchemas: { a: false } }, { a: 1 }, "false"),
  valid("a schema that is true takes its cause", { dependentSchemas: { a: true } }, { a: 1 }),
  valid("an inherited constructor has no schema to fit", { dependentSchemas: { constructor: false } }, {}),
  valid("dependentSchemas say nothing of an array", { dependentSchemas: { "0": false } }, [1]),
  invalid(
    "the schema of a cause looks at the whole object",
    { dependentSchemas: { a: { maxProperties: 1 } } },
    { a: 1, b: 2 },
    "maxProperties",
  ),
];
