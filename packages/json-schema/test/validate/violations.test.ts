// biome-ignore-all lint/suspicious/noThenProperty: the keyword of JSON Schema is called so
import { describe, expect, it } from "vitest";
import { type JsonValue, type Violation, validate, violationMessage } from "../../src/index.js";

function messages(schema: JsonValue, value: JsonValue): string[] {
  return validate(schema, value).map(violationMessage);
}

type Row = readonly [
  keyword: string,
  schema: JsonValue,
  valid: JsonValue,
  invalid: JsonValue,
  message: string,
];

const ROWS: readonly Row[] = [
  ["type", { type: "string" }, "a", 42, "the value: expected string, got 42 (type)"],
  ["type", { type: ["string", "null"] }, null, true, "the value: expected string or null, got true (type)"],
  ["type", { type: "integer" }, 1.0, 1.5, "the value: expected integer, got 1.5 (type)"],
  [
    "const",
    { const: { a: [1] } },
    { a: [1] },
    {},
    'the value: expected {"a":[1]}, got an empty object (const)',
  ],
  ["enum", { enum: ["a", "b"] }, "b", "c", 'the value: expected one of "a", "b", got "c" (enum)'],
  ["enum", { enum: [] }, "impossible", 1, "the value: expected nothing at all, got 1 (enum)"],
  [
    "multipleOf",
    { multipleOf: 0.01 },
    0.07,
    0.075,
    "the value: expected a multiple of 0.01, got 0.075 (multipleOf)",
  ],
  ["maximum", { maximum: 3 }, 3, 4, "the value: expected at most 3, got 4 (maximum)"],
  [
    "exclusiveMaximum",
    { exclusiveMaximum: 3 },
    2,
    3,
    "the value: expected less than 3, got 3 (exclusiveMaximum)",
  ],
  ["minimum", { minimum: 3 }, 3, 2, "the value: expected at least 3, got 2 (minimum)"],
  [
    "exclusiveMinimum",
    { exclusiveMinimum: 3 },
    4,
    3,
    "the value: expected more than 3, got 3 (exclusiveMinimum)",
  ],
  [
    "maxLength",
    { maxLength: 1 },
    "😀",
    "ab",
    'the value: expected at most 1 character, got "ab" (2 characters) (maxLength)',
  ],
  [
    "minLength",
    { minLength: 2 },
    "ab",
    "😀",
    'the value: expected at least 2 characters, got "😀" (1 character) (minLength)',
  ],
  [
    "pattern",
    { pattern: "^a+$" },
    "aa",
    "ab",
    'the value: expected text that matches ^a+$, got "ab" (pattern)',
  ],
  [
    "format",
    { format: "date" },
    "2024-02-29",
    "2023-02-29",
    'the value: expected a date like 2025-12-31, got "2023-02-29" (format)',
  ],
  ["maxItems", { maxItems: 1 }, [1], [1, 2], "the value: expected at most 1 item, got 2 items (maxItems)"],
  ["minItems", { minItems: 1 }, [1], [], "the value: expected at least 1 item, got 0 items (minItems)"],
  [
    "uniqueItems",
    { uniqueItems: true },
    [1, "1"],
    [
      { a: 1, b: 2 },
      { b: 2, a: 1 },
    ],
    "the value: expected items that all differ, got equal items (uniqueItems)",
  ],
  [
    "contains",
    { contains: { type: "number" } },
    ["a", 1],
    ["a"],
    "the value: expected at least 1 × number, got 0 of 1 items (contains)",
  ],
  [
    "minContains",
    { contains: { const: 1 }, minContains: 2 },
    [1, 1],
    [1],
    "the value: expected at least 2 × 1, got 1 of 1 items (minContains)",
  ],
  [
    "maxContains",
    { contains: { const: 1 }, maxContains: 1 },
    [1],
    [1, 1],
    "the value: expected at most 1 × 1, got 2 of 2 items (maxContains)",
  ],
  [
    "maxProperties",
    { maxProperties: 1 },
    { a: 1 },
    { a: 1, b: 1 },
    "the value: expected at most 1 property, got 2 properties (maxProperties)",
  ],
  [
    "minProperties",
    { minProperties: 1 },
    { a: 1 },
    {},
    "the value: expected at least 1 property, got 0 properties (minProperties)",
  ],
  [
    "required",
    { required: ["a"], properties: { a: { type: "boolean" } } },
    { a: true },
    {},
    "/a: expected boolean, got nothing (required)",
  ],
  ["required", { required: ["a/b"] }, { "a/b": 1 }, {}, "/a~1b: expected a value, got nothing (required)"],
  [
    "dependentRequired",
    { dependentRequired: { a: ["b"] } },
    { b: 1 },
    { a: 1 },
    '/b: expected a value, as "a" is present, got nothing (dependentRequired)',
  ],
  [
    "additionalProperties",
    { properties: { scope: true }, additionalProperties: false },
    { scope: 1 },
    { scop: 1 },
    '/scop: expected no property "scop" (did you mean "scope"?), got 1 (additionalProperties)',
  ],
  [
    "additionalProperties",
    { additionalProperties: { type: "null" } },
    { a: null },
    { a: 1 },
    "/a: expected null, got 1 (type)",
  ],
  [
    "patternProperties",
    { patternProperties: { "^x": { type: "null" } } },
    { a: 1 },
    { x1: 1 },
    "/x1: expected null, got 1 (type)",
  ],
  [
    "patternProperties",
    { patternProperties: { "^x": false } },
    { a: 1 },
    { x1: 1 },
    '/x1: expected no property "x1", got 1 (patternProperties)',
  ],
  [
    "propertyNames",
    { propertyNames: { maxLength: 2 } },
    { ab: 1 },
    { abc: 1 },
    '/abc: expected a property name that is at most 2 characters, got "abc" (propertyNames)',
  ],
  [
    "properties",
    { properties: { a: false } },
    {},
    { a: 1 },
    '/a: expected no property "a", got 1 (properties)',
  ],
  [
    "items",
    { prefixItems: [true], items: false },
    [1],
    [1, 2],
    "/1: expected no further item, got 2 (items)",
  ],
  ["prefixItems", { prefixItems: [{ type: "string" }] }, ["a", 1], [1], "/0: expected string, got 1 (type)"],
  ["not", { not: { type: "string" } }, 1, "a", 'the value: expected anything but string, got "a" (not)'],
  [
    "if",
    { if: { type: "string" }, then: { minLength: 1 }, else: { minimum: 0 } },
    1,
    -1,
    "the value: expected at least 0, got -1 (minimum)",
  ],
  [
    "then",
    { if: { type: "string" }, then: { minLength: 1 }, else: { minimum: 0 } },
    "a",
    "",
    'the value: expected at least 1 character, got "" (0 characters) (minLength)',
  ],
  [
    "dependentSchemas",
    { dependentSchemas: { a: { required: ["b"] } } },
    {},
    { a: 1 },
    "/b: expected a value, got nothing (required)",
  ],
  [
    "unevaluatedProperties",
    { allOf: [{ properties: { a: true } }], unevaluatedProperties: false },
    { a: 1 },
    { b: 1 },
    '/b: expected no property "b", got 1 (unevaluatedProperties)',
  ],
  [
    "unevaluatedItems",
    { prefixItems: [true], unevaluatedItems: { type: "null" } },
    [1, null],
    [1, 2],
    "/1: expected null, got 2 (type)",
  ],
  [
    "$ref",
    { $ref: "#/$defs/a", $defs: { a: { type: "null" } } },
    null,
    1,
    "the value: expected null, got 1 (type)",
  ],
  [
    "$anchor",
    { $ref: "#name", $defs: { a: { $anchor: "name", type: "null" } } },
    null,
    1,
    "the value: expected null, got 1 (type)",
  ],
  ["false", false, "nothing is", 1, "the value: expected nothing, got 1 (false)"],
];

describe("validate, keyword by keyword", () => {
  for (const [keyword, schema, valid, invalid, message] of ROWS) {
    it(`${keyword}: ${JSON.stringify(schema)} refuses ${JSON.stringify(invalid)}`, () => {
      if (schema !== false && !(keyword === "enum" && valid === "impossible")) {
        expect(messages(schema, valid)).toEqual([]);
      }
      expect(messages(schema, invalid)).toEqual([message]);
    });
  }
});

describe("validate", () => {
  it("gives all violations, more than eight and behind then", () => {
    const names = Array.from({ length: 30 }, (_, index) => `p${index}`);
    const schema = { if: true, then: { required: names, additionalProperties: { type: "null" } } };
    expect(validate(schema, { x: 1, y: 2 })).toHaveLength(32);
  });

  it("gives each violation once, though two references lead to it", () => {
    const schema = {
      allOf: [{ $ref: "#/$defs/a" }, { $ref: "#/$defs/a" }, { type: "string" }],
      $defs: { a: { type: "string" } },
    };
    expect(messages(schema, 1)).toEqual(["the value: expected string, got 1 (type)"]);
  });

  it("names the kinds when no alternative is of the value's kind", () => {
    const schema = {
      properties: { a: { anyOf: [{ type: "string" }, { type: "array" }, { enum: [1, 2] }] } },
    };
    expect(messages(schema, { a: 3 })).toEqual([
      "/a: expected string or array or one of 1, 2, got 3 (anyOf)",
    ]);
  });

  it("speaks of the one alternative that was meant", () => {
    const schema = { anyOf: [{ type: "null" }, { type: "object", required: ["a"] }] };
    expect(messages(schema, {})).toEqual(["/a: expected a value, got nothing (required)"]);
  });

  it("tells alternatives apart by a constant property", () => {
    const kind = (name: string, property: string): JsonValue => ({
      type: "object",
      properties: { kind: { const: name }, [property]: { type: "number" } },
      required: ["kind", property],
    });
    const schema = { oneOf: [kind("circle", "radius"), kind("square", "side")] };
    expect(messages(schema, { kind: "square", side: "2" })).toEqual([
      '/side: expected number, got "2" (type)',
    ]);
  });

  it("puts several plausible alternatives side by side", () => {
    const schema = { anyOf: [{ required: ["a"] }, { required: ["b"] }] };
    const [violation] = validate(schema, {});
    expect(violation).toMatchObject({ path: "", keyword: "anyOf", got: "an empty object" });
    expect(violation?.expected).toContain("/a: expected a value, got nothing (required)), or (/b: expected");
  });

  it("says which alternatives fit when only one may", () => {
    const schema = { oneOf: [{ type: "number" }, { type: "string" }, { minimum: 0 }] };
    expect(messages(schema, 1)).toEqual([
      "the value: expected exactly one alternative to fit, got 1, which fits alternatives 1 and 3 (oneOf)",
    ]);
  });

  it("reports a value that is not JSON as a violation", () => {
    const violations: readonly Violation[] = validate(true, { a: undefined } as unknown as JsonValue);
    expect(violations).toEqual([
      { path: "/a", keyword: "json", expected: "JSON", got: "undefined is not JSON" },
    ]);
  });

  it("does not hold thousands of members against thousands of variants", () => {
    const variant = (value: number) => ({
      type: "object",
      properties: { kind: { type: "string" }, value: { const: value } },
      required: ["kind", "value"],
      additionalProperties: false,
    });
    const schema = { oneOf: Array.from({ length: 2000 }, (_, index) => variant(index)) };
    const value = Object.fromEntries(Array.from({ length: 3000 }, (_, index) => [`field${index}`, "x"]));
    const [violation, ...others] = validate(schema, value);
    expect(others).toEqual([]);
    expect(violation?.expected).toMatch(
      /^one of 2000 alternatives, none of which fits: .* or one of 1997 more$/,
    );
  });
});
