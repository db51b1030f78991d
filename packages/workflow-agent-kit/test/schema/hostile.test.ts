import { checkSchema, type JsonObject, type JsonValue, refsOf, validatePayload } from "@uncaged/json-cas";
import fc from "fast-check";
import { it } from "vitest";
import { anyJson, keyText, nastyText, schemaCorpus } from "../../../json-cas/test/support/nasty.js";
import { validateFrontmatter } from "../../src/extract.js";
import { buildOutputFormatInstruction } from "../../src/index.js";

/** Values that walk deep into a recursive schema. */
const payload: fc.Arbitrary<JsonValue> = fc.oneof(
  anyJson,
  fc.constantFrom<JsonValue>(
    {},
    { a: {} },
    { a: nested("a", 60) },
    { a: "a".repeat(50_000) },
    { a: `${"a".repeat(5_000)}!` },
    { text: "x", value: 7, kind: "y" },
    Object.fromEntries(Array.from({ length: 3_000 }, (_, index) => [`field${index}`, "x"])),
    { a: Array.from({ length: 20_000 }, (_, index) => index) },
  ),
);

function nested(key: string, levels: number): JsonObject {
  let value: JsonObject = {};
  for (let level = 0; level < levels; level += 1) value = { [key]: value, b: {} };
  return value;
}

const generated: fc.Arbitrary<JsonObject> = fc
  .letrec<{ schema: JsonObject }>((tie) => {
    const inner = tie("schema");
    return {
      schema: fc.oneof(
        { depthSize: "small" },
        fc.record({ type: fc.constantFrom("object", "string", "array", "number", "nonsense") }),
        fc.record({
          $ref: fc.constantFrom(
            "#",
            "#/$defs/a",
            "#/properties/a",
            "https://example.invalid/x",
            "#/__proto__",
          ),
        }),
        fc.record({ pattern: nastyText }),
        fc.record({ const: anyJson }),
        fc.record({ enum: fc.array(anyJson, { maxLength: 3 }) }),
        fc
          .tuple(keyText, inner)
          .map(([key, schema]) => ({ type: "object", properties: { [key]: schema }, required: [key] })),
        fc
          .tuple(fc.constantFrom("allOf", "anyOf", "oneOf", "prefixItems"), fc.array(inner, { maxLength: 3 }))
          .map(([keyword, list]) => ({ [keyword]: list })),
        fc
          .tuple(
            fc.constantFrom(
              "not",
              "if",
              "then",
              "else",
              "items",
              "contains",
              "propertyNames",
              "additionalProperties",
              "unevaluatedProperties",
            ),
            inner,
          )
          .map(([keyword, schema]) => ({ [keyword]: schema })),
        fc.tuple(keyText, anyJson).map(([keyword, value]) => ({ [keyword]: value })),
      ),
    };
  })
  .schema.map((schema) => ({ type: "object", $defs: { a: schema }, ...schema }));

/** One use each, because each has the time of one input. */
const USES = {
  check: (schema: JsonObject) => checkSchema(schema),
  validate: validatePayload,
  refer: refsOf,
  instruct: (schema: JsonObject) => buildOutputFormatInstruction(schema),
  read: (schema: JsonObject, value: JsonValue) =>
    validateFrontmatter(schema, `---\n${JSON.stringify(value)}\n---\n`),
} as const;

const purpose = fc.constantFrom(...(Object.keys(USES) as (keyof typeof USES)[]));

const accepted = new WeakMap<JsonObject, boolean>();

function use([schema, value, name]: readonly [JsonObject, JsonValue, keyof typeof USES]): void {
  if (name === "check" || isAccepted(schema)) USES[name](schema, value);
}

/** What put refuses nobody uses; the schemas of the corpus are judged once. */
function isAccepted(schema: JsonObject): boolean {
  const known = accepted.get(schema) ?? checkSchema(schema).length === 0;
  accepted.set(schema, known);
  return known;
}

it("the meta of a role is used for whatever it is for, whatever it and the value are", () => {
  fc.assert(
    fc.property(generated, payload, purpose, (...given) => use(given)),
    { numRuns: 150 },
  );
});

it("a meta whose cost grows faster than its text comes to an end at every use", () => {
  const exploding = fc.constantFrom(...schemaCorpus());
  fc.assert(
    fc.property(exploding, payload, purpose, (...given) => use(given)),
    { numRuns: 16 },
  );
});
