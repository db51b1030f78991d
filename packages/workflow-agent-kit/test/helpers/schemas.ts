import type { JsonObject } from "@uncaged/json-cas";
import fc from "fast-check";

// Schemas as authors write them for a role's meta, and a few that nobody would.

const names = fc.constantFrom("status", "ok", "no", "a b", "comments", "n", "__proto__", "<<", "1", "é");

const scalar: fc.Arbitrary<JsonObject> = fc.oneof(
  fc.constant({ type: "boolean" }),
  fc.record({ type: fc.constant("string"), minLength: fc.nat(30) }),
  fc.record({ type: fc.constant("string"), maxLength: fc.integer({ min: 1, max: 30 }) }),
  fc.record({ type: fc.constant("integer"), minimum: fc.integer({ min: -50, max: 50 }) }),
  fc.record({ type: fc.constant("number"), exclusiveMaximum: fc.integer({ min: -50, max: 50 }) }),
  fc.record({ type: fc.constant("integer"), multipleOf: fc.integer({ min: 1, max: 9 }) }),
  fc.record({
    enum: fc.uniqueArray(fc.oneof(fc.string(), fc.integer(), fc.boolean()), { minLength: 1, maxLength: 4 }),
  }),
  fc.record({ const: fc.oneof(fc.string({ unit: "binary" }), fc.integer(), fc.constant(null)) }),
  fc.constantFrom({ pattern: "^[A-Z]{2,3}-\\d+$" }, { pattern: "x" }, { type: "string", format: "date" }),
);

const { schema } = fc.letrec<{ schema: JsonObject }>((tie) => ({
  schema: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    scalar,
    fc.record({
      type: fc.constant("array"),
      items: tie("schema"),
      minItems: fc.nat(2),
    }),
    objectOf(tie("schema")),
    fc.record({ anyOf: fc.array(tie("schema"), { minLength: 1, maxLength: 3 }) }),
  ),
}));

function objectOf(member: fc.Arbitrary<JsonObject>): fc.Arbitrary<JsonObject> {
  return fc
    .record({
      properties: fc.dictionary(names, member, { maxKeys: 4 }),
      open: fc.boolean(),
      required: fc.array(names, { maxLength: 3 }),
    })
    .map(({ properties, open, required }) => ({
      type: "object",
      properties: Object.fromEntries(Object.entries(properties)),
      required: [...new Set(required)].filter((name) => open || Object.hasOwn(properties, name)),
      ...(open ? {} : { additionalProperties: false }),
    }));
}

/** A role's meta: an object, or a union of objects. */
export const schemas: fc.Arbitrary<JsonObject> = fc.oneof(
  objectOf(schema),
  fc.record({ oneOf: fc.array(objectOf(schema), { minLength: 1, maxLength: 3 }) }),
);
