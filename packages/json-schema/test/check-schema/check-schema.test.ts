import { describe, expect, it } from "vitest";
import { checkSchema, type JsonValue, schemaProblemMessage } from "../../src/index.js";

function messages(schema: unknown): string[] {
  return checkSchema(schema).map(schemaProblemMessage);
}

describe("checkSchema", () => {
  it("takes every keyword of the assertion, applicator and annotation vocabularies", () => {
    const schema = {
      $schema: "https://json-schema.org/draft/2020-12/schema",
      $id: "https://example.com/person",
      $comment: "a person",
      title: "Person",
      description: "…",
      $defs: { name: { $anchor: "name", type: "string", minLength: 1 }, yes: true, no: false },
      type: ["object", "null"],
      properties: {
        name: { $ref: "#name" },
        born: {
          type: "string",
          format: "date",
          deprecated: true,
          readOnly: true,
          default: null,
          examples: [],
        },
        children: { type: "array", items: { $ref: "#" }, uniqueItems: true, minItems: 0 },
      },
      patternProperties: { "^x-": true },
      propertyNames: { maxLength: 20 },
      required: ["name"],
      dependentRequired: { born: ["name"] },
      dependentSchemas: { born: { minProperties: 2 } },
      unevaluatedProperties: false,
    };
    expect(messages(schema)).toEqual([]);
    expect(messages(true)).toEqual([]);
    expect(messages({})).toEqual([]);
  });

  it("takes recursion through a part of the value", () => {
    expect(messages({ type: "object", properties: { next: { $ref: "#" } } })).toEqual([]);
    expect(
      messages({ $defs: { a: { items: { $ref: "#/$defs/b" } }, b: { not: { $ref: "#/$defs/a" } } } }),
    ).toEqual([]);
  });

  const problems: readonly (readonly [string, unknown, string | RegExp])[] = [
    ["an unknown keyword", { tipe: "string" }, '/tipe: unknown keyword "tipe", did you mean "type"?'],
    [
      "one deep inside",
      { items: { anyOf: [{ requried: [] }] } },
      '/items/anyOf/0/requried: unknown keyword "requried", did you mean "required"?',
    ],
    [
      "a keyword of older drafts",
      { definitions: {} },
      '/definitions: unknown keyword "definitions", did you mean "$defs"?',
    ],
    [
      "a dynamic reference",
      { $dynamicRef: "#a" },
      '/$dynamicRef: unknown keyword "$dynamicRef", did you mean "$ref"?',
    ],
    ["a keyword that is nobody's", { "x-a/b": 1 }, '/x-a~1b: unknown keyword "x-a/b"'],
    ["__proto__ as a keyword", JSON.parse('{"__proto__": 1}'), '/__proto__: unknown keyword "__proto__"'],
    [
      "an unknown type",
      { type: "strin" },
      /^\/type: expected one of .*, got "strin", did you mean "string"\?$/,
    ],
    ["an unknown type in a list", { type: ["nul"] }, /^\/type\/0: .*did you mean "null"\?$/],
    [
      "a type of another language",
      { properties: { a: { type: "bool" } } },
      /^\/properties\/a\/type: .*got "bool", did you mean "boolean"\?$/,
    ],
    [
      "values in the place of a type, once",
      { type: ["open", "closed"] },
      /^\/type\/0: .*got "open"; a list of values is an enum$/,
    ],
    [
      "a field that says itself that it is required",
      { properties: { "a/b": { required: true } } },
      '/properties/a~1b/required: required is a list of names beside properties, got true, did you mean "required: [a/b]"?',
    ],
    ["two swapped letters", { tpye: "string" }, '/tpye: unknown keyword "tpye", did you mean "type"?'],
    ["an empty list of types", { type: [] }, "/type: expected at least 1 item, got 0 items"],
    [
      "a malformed keyword",
      { properties: { a: { minLength: -1 } } },
      "/properties/a/minLength: expected at least 0, got -1",
    ],
    [
      "a schema that is none",
      { items: [true] },
      "/items: expected object or boolean, got an array of 1 item",
    ],
    [
      "an unknown format",
      { format: "datetime" },
      '/format: unknown format "datetime", did you mean "date-time"?',
    ],
    [
      "a dangling reference",
      { $ref: "#/$defs/nam", $defs: { name: true } },
      '/$ref: "#/$defs/nam" refers to no schema in this document, did you mean "#/$defs/name"?',
    ],
    [
      "a reference into data",
      { $ref: "#/const/a", const: { a: {} } },
      '/$ref: "#/const/a" refers to no schema in this document',
    ],
    [
      "a remote reference",
      { $ref: "https://example.com/a" },
      '/$ref: "https://example.com/a" is a remote reference; only local ones (#/$defs/name) are supported',
    ],
    ["a pattern that is none", { pattern: "(" }, '/pattern: pattern "(" is not a valid regular expression'],
    ["a lookahead", { pattern: "^(?!a)" }, /lookaround or inline flags/],
    [
      "a lookbehind as a key",
      { patternProperties: { "(?<=a)b": true } },
      /^\/patternProperties\/\(\?<=a\)b: .*lookaround/,
    ],
    ["a back-reference", { pattern: "(a)\\1" }, /back-reference/],
    ["a pattern of a million states", { pattern: "(a{1000}){1000}" }, /repeats too much/],
    [
      "a second anchor of one name",
      { $defs: { a: { $anchor: "x" }, b: { $anchor: "x" } } },
      '/$defs/b/$anchor: the anchor "x" exists already',
    ],
    ["an inner $id", { items: { $id: "a" } }, /^\/items\/\$id: \$id is only supported at the root/],
    [
      "another dialect",
      { $schema: "http://json-schema.org/draft-07/schema#" },
      /^\/\$schema: expected "https:\/\/json-schema.org\/draft\/2020-12\/schema"/,
    ],
    ["a schema that is itself", { $ref: "#" }, ": it refers to itself without going deeper into the value"],
    [
      "a circle",
      { $defs: { a: { allOf: [{ $ref: "#/$defs/b" }] }, b: { not: { $ref: "#/$defs/a" } } } },
      /it refers to itself/,
    ],
    ["a number", 1, "the schema: expected object or boolean, got 1"],
    ["undefined", undefined, "the schema: undefined is not JSON"],
    ["what is no JSON", { const: () => 1 }, "/const: function is not JSON"],
  ];
  for (const [what, schema, message] of problems) {
    it(`refuses ${what}`, () => {
      const found = messages(schema);
      expect(found).toHaveLength(1);
      if (typeof message === "string") expect(found[0]?.replace("the schema: it", ": it")).toBe(message);
      else expect(found[0]).toMatch(message);
    });
  }

  it("answers where references follow each other for ever", () => {
    const $defs: Record<string, JsonValue> = { d0: true };
    for (let index = 1; index <= 30_000; index += 1) $defs[`d${index}`] = { $ref: `#/$defs/d${index - 1}` };
    expect(messages({ $ref: "#/$defs/d30000", $defs })).toEqual([
      "the schema: its references follow each other too far",
    ]);
  });

  it("names all problems", () => {
    const schema = {
      tipe: 1,
      properties: { a: { type: "x", format: "y" }, b: { $ref: "#/z", pattern: "(" } },
    };
    expect(checkSchema(schema).map(({ path }) => path)).toEqual([
      "/tipe",
      "/properties/a/type",
      "/properties/a/format",
      "/properties/b/pattern",
      "/properties/b/$ref",
    ]);
  });

  it("takes properties whose names are keywords, and data that looks like schemas", () => {
    const schema: JsonValue = {
      properties: { $ref: { type: "string" }, tipe: true, properties: { items: true } },
      const: { tipe: 1 },
      enum: [{ $ref: "nowhere" }],
      default: { format: "nonsense" },
      examples: [{ tipe: 1 }],
    };
    expect(messages(schema)).toEqual([]);
  });
});
