// biome-ignore-all lint/suspicious/noThenProperty: the keyword of JSON Schema is called so
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  CasError,
  createMemoryStore,
  type Hash,
  type JsonValue,
  META_SCHEMA_HASH,
  putSchema,
  refs,
  refsOf,
} from "../../src/index.js";

const REF = { type: "string", format: "cas_ref" } as const;
const [A, B, C, D] = ["0", "1", "2", "3"].map((digit) => digit.repeat(13) as Hash) as [
  Hash,
  Hash,
  Hash,
  Hash,
];

type Row = readonly [what: string, schema: JsonValue, payload: JsonValue, refs: readonly Hash[]];

const ROWS: readonly Row[] = [
  ["the value itself", REF, A, [A]],
  ["properties", { properties: { a: REF, b: { type: "string" } } }, { a: A, b: B }, [A]],
  ["items", { items: REF }, [B, A], [B, A]],
  ["prefixItems and items", { prefixItems: [REF, true], items: REF }, [A, B, C], [A, C]],
  ["additionalProperties", { properties: { a: true }, additionalProperties: REF }, { a: A, b: B }, [B]],
  ["patternProperties", { patternProperties: { "^r": REF } }, { r1: A, s: B }, [A]],
  ["allOf", { allOf: [{ properties: { a: REF } }, { properties: { b: REF } }] }, { a: A, b: B }, [A, B]],
  ["anyOf, a null among them", { properties: { a: { anyOf: [REF, { type: "null" }] } } }, { a: A }, [A]],
  ["a list of types", { properties: { a: { type: ["string", "null"], format: "cas_ref" } } }, { a: A }, [A]],
  [
    "a null where a reference may be",
    { properties: { a: { type: ["string", "null"], format: "cas_ref" } } },
    { a: null },
    [],
  ],
  [
    "only the branches of oneOf that the value satisfies",
    {
      oneOf: [
        { properties: { kind: { const: "x" }, to: REF } },
        { properties: { kind: { const: "y" }, to: { type: "string" } } },
      ],
    },
    { kind: "y", to: A },
    [],
  ],
  [
    "every branch of anyOf that the value satisfies",
    { anyOf: [{ properties: { a: REF } }, { properties: { b: REF } }] },
    { a: A, b: B },
    [A, B],
  ],
  [
    "if and then",
    { if: { properties: { a: REF } }, then: { properties: { b: REF } }, else: { properties: { c: REF } } },
    { a: A, b: B, c: C },
    [A, B],
  ],
  [
    "else",
    { if: { required: ["x"] }, then: { properties: { b: REF } }, else: { properties: { c: REF } } },
    { b: B, c: C },
    [C],
  ],
  [
    "dependentSchemas",
    { dependentSchemas: { a: { properties: { b: REF } }, z: { properties: { c: REF } } } },
    { a: 1, b: B, c: C },
    [B],
  ],
  [
    "contains",
    { contains: { properties: { to: REF }, required: ["to"] } },
    [{ to: A }, 1, { to: B }],
    [A, B],
  ],
  ["unevaluatedProperties", { properties: { a: true }, unevaluatedProperties: REF }, { a: A, b: B }, [B]],
  ["unevaluatedItems", { prefixItems: [true], unevaluatedItems: REF }, [A, B], [B]],
  [
    "$ref",
    { $ref: "#/$defs/list", $defs: { list: { items: { $ref: "#entry" } }, e: { $anchor: "entry", ...REF } } },
    [A],
    [A],
  ],
  [
    "a recursive schema",
    { properties: { to: REF, next: { $ref: "#" } } },
    { to: A, next: { to: B, next: { to: C } } },
    [A, B, C],
  ],
  ["no schema: not by looking at strings", { properties: { a: { type: "string" } } }, { a: A, b: B }, []],
  ["not: what must not be is no reference", { not: { items: REF } }, { a: A }, []],
  ["one reference once", { items: REF }, [A, B, A, A], [A, B]],
  [
    "keys of every kind",
    { additionalProperties: REF },
    JSON.parse(`{"__proto__": "${A}", "constructor": "${B}"}`),
    [A, B],
  ],
];

describe("refs", () => {
  for (const [what, schema, payload, expected] of ROWS) {
    it(`finds what is declared by ${what}`, () => {
      expect(refsOf(schema, payload)).toEqual(expected);
    });
  }

  it("gives them in the order of the node's bytes: keys by length, then by bytes", () => {
    const schema = { additionalProperties: { anyOf: [REF, { type: "object", additionalProperties: REF }] } };
    const payload = { long: A, b: B, é: C, a: { z: D } };
    expect(refsOf(schema, payload)).toEqual([D, B, C, A]);
    expect(refsOf(schema, { a: { z: D }, é: C, long: A, b: B })).toEqual([D, B, C, A]);
  });

  it("finds nothing twice where the schema is a circle", () => {
    const schema = { $defs: { a: { properties: { x: { $ref: "#/$defs/a" }, to: REF } } }, $ref: "#/$defs/a" };
    expect(refsOf(schema, { to: A, x: { to: A, x: { to: B } } })).toEqual([B, A]);
  });

  it("ends, with a fault, where the schema asks for unbounded work", () => {
    const $defs: Record<string, JsonValue> = { d0: REF };
    for (let level = 1; level <= 40; level += 1) {
      const before = { $ref: `#/$defs/d${level - 1}` };
      const never = (type: string): JsonValue => ({ allOf: [before, { type }] });
      $defs[`d${level}`] = { anyOf: [never("null"), never("number"), before] };
    }
    expect(() => refsOf({ $defs, $ref: "#/$defs/d40" }, A)).toThrow(CasError);
  });

  it("asks the store for the schema of a node", async () => {
    const store = createMemoryStore();
    const type = await putSchema(store, { properties: { to: REF } });
    const node = store.get(await store.put(type, { to: META_SCHEMA_HASH }));
    expect(node && refs(store, node)).toEqual([META_SCHEMA_HASH]);
    expect(() => refs(store, { type: D, payload: {}, timestamp: 0 })).toThrow(
      /type 3333333333333 is not a schema/,
    );
  });
});

const key = fc.constantFrom("a", "b", "cc", "é", "__proto__", "constructor");
const plainSchema = fc.letrec<{ schema: JsonValue }>((tie) => ({
  schema: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom<JsonValue>(
      REF,
      { format: "cas_ref" },
      { type: "string" },
      { type: ["string", "null"], format: "cas_ref" },
      { anyOf: [REF, { type: "null" }] },
      true,
    ),
    fc.record(
      {
        properties: fc.dictionary(key, tie("schema"), { maxKeys: 4 }),
        additionalProperties: tie("schema"),
        items: tie("schema"),
      },
      { requiredKeys: [] },
    ) as fc.Arbitrary<JsonValue>,
  ),
})).schema;
const payload = fc.letrec<{ value: JsonValue }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom<JsonValue>(A, B, C, D, null, "x", 1),
    fc.array(tie("value"), { maxLength: 3 }),
    fc.dictionary(key, tie("value"), { maxKeys: 4 }),
  ),
})).value;

describe("refs of a plain schema", () => {
  it("are those that are found by asking which schemas apply", () => {
    fc.assert(
      // Behind `allOf` nothing is plain.
      fc.property(plainSchema, payload, (schema, value) => {
        expect(refsOf(schema, value)).toEqual(refsOf({ allOf: [schema] }, value));
      }),
      { numRuns: 500 },
    );
  });
});
