// biome-ignore-all lint/suspicious/noThenProperty: the keyword of JSON Schema is called so
import { type Case, invalid, valid } from "./case.js";

const POSTCODE = {
  if: { properties: { country: { const: "US" } }, required: ["country"] },
  then: { properties: { zip: { pattern: "^\\d{5}$" } } },
  else: { properties: { zip: { maxLength: 8 } }, required: ["zip"] },
};
const SIGN = { if: { exclusiveMaximum: 0 }, then: { minimum: -10 }, else: { multipleOf: 2 } };

export const CONDITIONS: readonly Case[] = [
  valid("a condition that holds asks for then", SIGN, -3),
  invalid("a condition that holds and then that does not", SIGN, -11, "minimum"),
  valid("a condition that does not hold asks for else", SIGN, 4),
  invalid("a condition that does not hold and else that does not", SIGN, 3, "multipleOf"),
  valid("then is not asked when the condition does not hold", { if: { const: 1 }, then: false }, 2),
  invalid("then that is false forbids the condition", { if: { const: 1 }, then: false }, 1, "false"),
  valid("else is not asked when the condition holds", { if: { const: 1 }, else: false }, 1),
  invalid("else that is false requires the condition", { if: { const: 1 }, else: false }, 2, "false"),
  valid("a condition alone takes what it holds for", { if: { const: 0 } }, 0),
  valid("a condition alone takes everything else", { if: { const: 0 } }, "x"),
  valid("then says nothing without a condition", { then: false }, 1),
  valid("else says nothing without a condition", { else: false }, 1),
  invalid(
    "a condition that is true always asks for then",
    { if: true, then: { type: "null" }, else: true },
    1,
    "type",
  ),
  invalid(
    "a condition that is false always asks for else",
    { if: false, then: true, else: { type: "null" } },
    1,
    "type",
  ),
  invalid("an empty condition always holds", { if: {}, then: { type: "null" } }, 1, "type"),
  valid("an American zip has five digits", POSTCODE, { country: "US", zip: "20500" }),
  invalid("an American zip has no letters", POSTCODE, { country: "US", zip: "SW1A 1AA" }, "/zip pattern"),
  valid("another zip may have letters", POSTCODE, { country: "GB", zip: "SW1A 1AA" }),
  invalid("another zip is required", POSTCODE, { country: "GB" }, "/zip required"),
  valid("an American zip is not required", POSTCODE, { country: "US" }),
  invalid("without a country the condition does not hold", POSTCODE, {}, "/zip required"),
  valid(
    "a condition about objects holds for a text, as does then",
    { if: { required: ["a"] }, then: { required: ["b"] } },
    "x",
  ),
  invalid(
    "conditions in a list are asked one by one",
    {
      allOf: [
        { if: { minimum: 10 }, then: { multipleOf: 10 } },
        { if: { minimum: 100 }, then: { multipleOf: 100 } },
      ],
    },
    110,
    "multipleOf",
  ),
  invalid(
    "the condition of one schema is not that of another",
    {
      allOf: [{ if: { type: "null" } }, { then: { type: "null" } }, { else: { type: "null" } }],
      if: true,
      then: { type: "string" },
    },
    1,
    "type",
  ),
  invalid(
    "a condition in else is the next case",
    { if: { const: 1 }, then: true, else: { if: { const: 2 }, then: true, else: { const: 3 } } },
    4,
    "const",
  ),
  invalid(
    "a condition in a member is asked there",
    { properties: { a: { if: { type: "string" }, then: { minLength: 2 } } } },
    { a: "x" },
    "/a minLength",
  ),
  valid(
    "what a condition finds wrong is not told",
    { if: { properties: { a: { type: "null" } } } },
    { a: 1 },
  ),
  invalid(
    "the order of the keywords does not matter",
    { else: { type: "string" }, then: { type: "number" }, if: { minimum: 0 } },
    -1,
    "type",
  ),
];
