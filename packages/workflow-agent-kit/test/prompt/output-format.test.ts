import { checkSchema, type Hash, type JsonObject, META_SCHEMA_HASH } from "@uncaged/json-cas";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { validateFrontmatter } from "../../src/extract.js";
import { buildOutputFormatInstruction } from "../../src/prompt/index.js";
import { schemas } from "../helpers/schemas.js";
import { examplesIn } from "./helpers.js";

const object = (properties: JsonObject, more: JsonObject = {}): JsonObject => ({
  type: "object",
  properties,
  required: Object.keys(properties),
  additionalProperties: false,
  ...more,
});

/** Schemas for which an example has to be found, and how many. */
const CASES: readonly (readonly [string, JsonObject, number])[] = [
  ["no fields", { type: "object" }, 1],
  [
    "every scalar",
    object({
      a: { type: "string" },
      b: { type: "integer" },
      c: { type: "number" },
      d: { type: "boolean" },
      e: { type: "null" },
    }),
    1,
  ],
  ["enum and const", object({ status: { enum: ["done", "failed"] }, kind: { const: "x" } }), 1],
  [
    "words that YAML would read otherwise",
    object({ no: { const: "no" }, yes: { enum: ["yes"] }, n: { const: "1e3" }, d: { const: "2026-01-01" } }),
    1,
  ],
  [
    "awkward texts",
    object({
      a: { const: "a: b # c\n---\n\t\u0085\u2028\"'" },
      "b c": { const: "" },
      __proto__x: { const: "{}" },
    }),
    1,
  ],
  [
    "lengths",
    object({ short: { type: "string", maxLength: 2 }, long: { type: "string", minLength: 80 } }),
    1,
  ],
  [
    "patterns",
    object({
      v: { type: "string", pattern: "^v\\d+\\.\\d+$" },
      h: { type: "string", pattern: "^[0-9a-f]{40}$" },
      u: { type: "string", pattern: "^(?:feat|fix)\\([a-z-]+\\)!?: .{3,}" },
    }),
    1,
  ],
  [
    "formats",
    object({
      at: { type: "string", format: "date-time" },
      mail: { type: "string", format: "email" },
      link: { type: "string", format: "uri" },
      id: { type: "string", format: "uuid" },
      node: { type: "string", format: "cas_ref" },
    }),
    1,
  ],
  [
    "numbers in limits",
    object({
      a: { type: "integer", minimum: 10, maximum: 11 },
      b: { type: "number", exclusiveMinimum: 0, exclusiveMaximum: 0.1 },
      c: { type: "integer", multipleOf: 7, minimum: 50 },
      d: { type: "integer", maximum: -5 },
    }),
    1,
  ],
  [
    "lists",
    object({
      a: { type: "array", items: { type: "string" }, minItems: 3, uniqueItems: true },
      b: { type: "array", prefixItems: [{ const: 1 }, { type: "boolean" }], items: false },
      c: { type: "array", maxItems: 0 },
      d: { type: "array", items: { enum: [1, 2, 3] }, minItems: 3, uniqueItems: true },
    }),
    1,
  ],
  [
    "nested objects",
    object({
      a: object({ b: object({ c: { type: "string" } }) }),
      list: { type: "array", items: object({ x: { type: "integer" } }) },
    }),
    1,
  ],
  [
    "references",
    {
      $defs: { f: object({ path: { type: "string" } }) },
      ...object({ one: { $ref: "#/$defs/f" }, many: { type: "array", items: { $ref: "#/$defs/f" } } }),
    },
    1,
  ],
  [
    "recursion",
    {
      $defs: {
        tree: {
          type: "object",
          properties: {
            name: { type: "string" },
            children: { type: "array", items: { $ref: "#/$defs/tree" } },
          },
          required: ["name"],
        },
      },
      ...object({ root: { $ref: "#/$defs/tree" } }),
    },
    1,
  ],
  [
    "a root union",
    {
      oneOf: [
        object({ status: { const: "ok" }, n: { type: "integer" } }),
        object({ status: { const: "bad" }, why: { type: "string" } }),
      ],
    },
    2,
  ],
  [
    "a root union beside shared fields",
    {
      type: "object",
      properties: { kind: { type: "string" } },
      required: ["kind"],
      anyOf: [
        { properties: { kind: { const: "a" } } },
        { properties: { kind: { const: "b" }, x: { type: "integer" } }, required: ["x"] },
      ],
    },
    2,
  ],
  [
    "a nullable field",
    object({ a: { anyOf: [{ type: "string" }, { type: "null" }] }, b: { type: ["string", "null"] } }),
    1,
  ],
  [
    "a nested union",
    object({
      r: { oneOf: [object({ t: { const: 1 } }), object({ t: { const: 2 }, u: { type: "string" } })] },
    }),
    1,
  ],
  [
    "allOf",
    {
      allOf: [
        { type: "object", properties: { a: { type: "string", minLength: 3 } }, required: ["a"] },
        { properties: { a: { maxLength: 4 }, b: { type: "boolean" } }, required: ["b"] },
      ],
    },
    1,
  ],
  [
    "if then else",
    // As text: an object with `then` is no promise.
    JSON.parse(
      '{"type":"object","properties":{"done":{"type":"boolean"},"why":{"type":"string"}},"required":["done"],' +
        '"if":{"properties":{"done":{"const":false}}},"then":{"required":["why"]}}',
    ),
    1,
  ],
  [
    "dependentRequired",
    {
      type: "object",
      properties: { a: { type: "string" } },
      required: ["a"],
      dependentRequired: { a: ["b"], b: ["c"] },
    },
    1,
  ],
  [
    "a map",
    object({ m: { type: "object", additionalProperties: { type: "integer" }, minProperties: 2 } }),
    1,
  ],
  [
    "pattern properties",
    object({
      m: {
        type: "object",
        patternProperties: { "^x-[a-z]+$": { type: "boolean" } },
        additionalProperties: false,
        minProperties: 1,
      },
    }),
    1,
  ],
  ["contains", object({ l: { type: "array", items: { type: "integer" }, contains: { minimum: 100 } } }), 1],
  ["an author's example", object({ a: { type: "string", minLength: 3, examples: ["no", "xyz"] } }), 1],
  ["any value", object({ a: true, b: {} }), 1],
  ["required without a schema", { type: "object", required: ["a"] }, 1],
];

describe("the example in the prompt", () => {
  for (const [name, schema, count] of CASES) {
    it(`is read by our parser and is valid: ${name}`, () => {
      expect(checkSchema(schema)).toEqual([]);
      const instruction = buildOutputFormatInstruction(schema);
      const examples = examplesIn(instruction);
      expect(examples).toHaveLength(count);
      for (const example of examples)
        expect(validateFrontmatter(schema, example)).toMatchObject({ ok: true });
    });
  }

  it("is left out, with a sentence, where none can be made", () => {
    const impossible = object({ a: { type: "string", minLength: 5, maxLength: 3 } });
    const instruction = buildOutputFormatInstruction(impossible);
    expect(examplesIn(instruction)).toEqual([]);
    expect(instruction).toContain("No example could be made from the schema");
  });

  it("is left out where our reader could not give back the value", () => {
    expect(examplesIn(buildOutputFormatInstruction(object({ a: { const: 1e20 } })))).toEqual([]);
    expect(examplesIn(buildOutputFormatInstruction(object({ a: { const: 1e-20 } })))).toHaveLength(1);
  });

  it("shows optional fields too, and leaves them out where they would not be valid", () => {
    const schema: JsonObject = { type: "object", properties: { a: { type: "string" }, b: false } };
    expect(examplesIn(buildOutputFormatInstruction(schema))[0]).toContain('a: "text for a"');
  });

  it("is valid for whatever schema, or not there", () => {
    let found = 0;
    let variants = 0;
    fc.assert(
      fc.property(schemas, (schema) => {
        const examples = examplesIn(buildOutputFormatInstruction(schema));
        variants += Array.isArray(schema.oneOf) ? schema.oneOf.length : 1;
        found += examples.length;
        for (const example of examples)
          expect(validateFrontmatter(schema, example)).toMatchObject({ ok: true });
      }),
      { numRuns: 300 },
    );
    // Most generated schemas have an example: a search that gives up at once would pass otherwise.
    expect(found / variants).toBeGreaterThan(0.75);
  });
});

describe("an example that refers to nodes", () => {
  it("has a hash that every store with schemas knows, and different ones where they must differ", () => {
    const ref: JsonObject = { type: "string", format: "cas_ref" };
    const one = buildOutputFormatInstruction(object({ a: ref }));
    expect(one).toContain(`a: "${META_SCHEMA_HASH}"`);
    expect(buildOutputFormatInstruction(object({ a: { type: "string" } }))).not.toContain("put-text");
    const two = object({ a: { type: "array", items: ref, minItems: 2, uniqueItems: true } });
    expect(examplesIn(buildOutputFormatInstruction(two))).toEqual([]);
    const other = "0123456789ABC" as Hash;
    const [example] = examplesIn(buildOutputFormatInstruction(two, [META_SCHEMA_HASH, other]));
    expect(example).toContain(META_SCHEMA_HASH);
    expect(example).toContain(other);
  });
});

describe("the description of the fields", () => {
  it("gives type, need, limits and description of each, nested ones below", () => {
    const schema: JsonObject = {
      type: "object",
      properties: {
        approved: { type: "boolean", description: "Whether it\ncan be merged." },
        level: { enum: ["low", "high"] },
        files: {
          type: "array",
          minItems: 1,
          items: {
            type: "object",
            properties: { path: { type: "string", pattern: "^/" } },
            required: ["path"],
          },
        },
        note: {
          anyOf: [{ type: "string", maxLength: 9 }, { type: "null" }],
          description: "Optional remark.",
        },
      },
      required: ["approved", "files"],
    };
    expect(buildOutputFormatInstruction(schema)).toContain(
      [
        "- `approved` (boolean, required): Whether it can be merged.",
        "- `files` (list, required, at least 1 items)",
        "  - each item (object)",
        "    - `path` (string, required, matching /^\\//)".replace("\\/", "/"),
        '- `level` (one of "low", "high", optional)',
        "- `note` (string or null, optional, at most 9 characters): Optional remark.",
      ].join("\n"),
    );
  });

  it("comes in the author's order, as do the example's: first what is required, as written there", () => {
    const flag = { type: "boolean" };
    const finding = {
      type: "object",
      properties: { fatal: flag, line: { type: "integer" }, why: { type: "string" } },
      required: ["why", "fatal"],
    };
    const schema: JsonObject = {
      type: "object",
      properties: { approved: flag, findings: { type: "array", items: finding }, note: { type: "string" } },
      required: ["findings", "approved"],
      allOf: [{ properties: { signed: flag }, required: ["signed"] }],
    };
    const text = buildOutputFormatInstruction(schema);
    expect([...text.matchAll(/^ *- `(\w+)`/gm)].map(([, name]) => name)).toEqual([
      "findings",
      "why",
      "fatal",
      "line",
      "approved",
      "signed",
      "note",
    ]);
    expect([...(examplesIn(text)[0] ?? "").matchAll(/^[ -]*(\w+):/gm)].map(([, name]) => name)).toEqual([
      "findings",
      "why",
      "fatal",
      "line",
      "approved",
      "signed",
      "note",
    ]);
  });

  it("lists the variants of a union, with their titles", () => {
    const schema: JsonObject = {
      oneOf: [
        { title: "Approval", ...object({ status: { const: "ok" } }) },
        { title: "Rejection", ...object({ status: { const: "no" }, reason: { type: "string" } }) },
      ],
    };
    const instruction = buildOutputFormatInstruction(schema);
    expect(instruction).toContain("- one of these variants:\n  - variant 1, Approval (object)");
    expect(instruction).toContain("  - variant 2, Rejection (object)");
    expect(instruction).toContain("    - `reason` (string, required)");
    expect(instruction).toContain("Example of variant 2, Rejection");
  });

  it("stops at recursion", () => {
    const schema: JsonObject = {
      type: "object",
      properties: { name: { type: "string" }, child: { $ref: "#" } },
    };
    expect(buildOutputFormatInstruction(schema)).toContain("- the same fields as # above");
  });

  it("stays short where references multiply", () => {
    const defs = Object.fromEntries(
      Array.from({ length: 20 }, (_, level) => [
        `d${level}`,
        {
          type: "object",
          properties: { a: { $ref: `#/$defs/d${level + 1}` }, b: { $ref: `#/$defs/d${level + 1}` } },
        },
      ]),
    );
    const schema: JsonObject = { $defs: { ...defs, d20: { type: "string" } }, $ref: "#/$defs/d0" };
    const instruction = buildOutputFormatInstruction(schema);
    expect(instruction.length).toBeLessThan(200_000);
    expect(instruction).toContain("more fields follow");
  });

  it("gives rules without words as the schema writes them", () => {
    const schema: JsonObject = {
      type: "object",
      properties: { a: { type: "string" } },
      not: { required: ["b"] },
    };
    expect(buildOutputFormatInstruction(schema)).toContain('{"not":{"required":["b"]}}');
  });

  it("shows examples of the first variants only where a union has very many", () => {
    const variant = (value: number): JsonObject =>
      object({ kind: { type: "string" }, value: { const: value } });
    const schema = { type: "object", oneOf: Array.from({ length: 2_000 }, (_, index) => variant(index)) };
    const instruction = buildOutputFormatInstruction(schema);
    expect(examplesIn(instruction)).toHaveLength(2);
    expect(instruction).toContain("- variant 40 (object)");
  });
});
