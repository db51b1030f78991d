import { describe, expect, it } from "vitest";
import { type JsonValue, validate } from "../../src/index.js";

function isValid(schema: JsonValue, value: JsonValue): boolean {
  return validate(schema, value).length === 0;
}

// Where validators in wide use give the wrong answer.
describe("answers that are easily got wrong", () => {
  it("does not find inherited properties", () => {
    expect(isValid({ required: ["toString"] }, {})).toBe(false);
    expect(isValid({ required: ["constructor", "__proto__"] }, {})).toBe(false);
    expect(isValid({ properties: { valueOf: { type: "number" } } }, {})).toBe(true);
    expect(isValid({ dependentRequired: { hasOwnProperty: ["b"] } }, { a: 1 })).toBe(true);
    expect(isValid({ properties: { toString: { type: "number" } } }, { toString: "x" })).toBe(false);
  });

  it("tells an array from an object with a length", () => {
    expect(isValid({ const: [] }, { length: 0 })).toBe(false);
    expect(isValid({ enum: [["a"]] }, { 0: "a", length: 1 })).toBe(false);
  });

  it("takes 0 and -0, 1 and 1.0 for equal, and true and 1 for different", () => {
    expect(isValid({ const: 0 }, -0)).toBe(true);
    expect(isValid({ uniqueItems: true }, [0, -0])).toBe(false);
    expect(isValid({ uniqueItems: true }, [1, true, "1", [1], { 0: 1 }])).toBe(true);
  });

  it("divides exactly, very small and very large numbers too", () => {
    expect(isValid({ multipleOf: 1e-10 }, 5e-11)).toBe(false);
    expect(isValid({ multipleOf: 1e-10 }, 5e-10)).toBe(true);
    expect(isValid({ multipleOf: 0.1 }, 0.3)).toBe(true);
    expect(isValid({ multipleOf: 5e-324 }, 1e308)).toBe(true);
    expect(isValid({ multipleOf: 3 }, 1e308)).toBe(false);
    expect(isValid({ multipleOf: 0.5 }, -2.5)).toBe(true);
  });

  it("forgets what a failing if or contains has looked at", () => {
    const condition = {
      properties: { a: true, b: true },
      if: { properties: { a: { const: 1 } } },
      unevaluatedProperties: false,
    };
    expect(isValid(condition, { a: 2, b: 3 })).toBe(true);
    const items = {
      prefixItems: [true],
      contains: { properties: { a: { type: "null" } } },
      unevaluatedItems: false,
    };
    expect(isValid(items, [{ a: 1 }, { a: null }])).toBe(true);
  });

  it("does not count the properties of a part as properties of the whole", () => {
    const schema = { unevaluatedProperties: { type: "object", properties: { b: true } } };
    expect(isValid(schema, { a: { b: 1 }, b: 3 })).toBe(false);
  });

  it("evaluates nothing by not", () => {
    const schema = { not: { properties: { a: true }, required: ["z"] }, unevaluatedProperties: false };
    expect(isValid(schema, { a: 1 })).toBe(false);
  });

  it("matches pattern properties that fit the same keys each on its own", () => {
    const schema = {
      patternProperties: { a: { type: "number" }, "a+": { minimum: 3 }, b: false },
      additionalProperties: false,
    };
    expect(isValid(schema, { a: 3 })).toBe(true);
    expect(isValid(schema, { a: 2 })).toBe(false);
    expect(isValid(schema, { a: 3, c: 1 })).toBe(false);
    expect(isValid({ patternProperties: { "^[$]|\\.$": false } }, { "x$.": 1 })).toBe(false);
    expect(isValid({ patternProperties: { "^[$]|\\.$": false } }, { x$: 1, ".x": 2 })).toBe(true);
  });
});

describe("schemas that mean harm", () => {
  it("are answered in bounded time where references multiply", () => {
    const $defs: Record<string, JsonValue> = { d0: { type: "string" } };
    for (let level = 1; level <= 40; level += 1) {
      const previous = { $ref: `#/$defs/d${level - 1}` };
      $defs[`d${level}`] = { allOf: [previous, previous] };
    }
    const schema = { $defs, $ref: "#/$defs/d40" };
    expect(validate(schema, "x")).toMatchObject([{ path: "", keyword: "SCHEMA_TOO_EXPENSIVE" }]);
    // The first way to the bottom already says no.
    expect(validate(schema, 1)).toMatchObject([{ path: "", keyword: "type" }]);
  });

  it("are answered in bounded time where branches nest what nobody evaluated", () => {
    let schema: JsonValue = { properties: { a: true } };
    for (let level = 0; level < 50; level += 1) schema = { anyOf: [schema], unevaluatedProperties: false };
    expect(validate(schema, { a: 1, b: 2 })).not.toEqual([]);
    expect(validate(schema, { a: 1 })).toMatchObject([{ path: "", keyword: "SCHEMA_TOO_EXPENSIVE" }]);
  });

  it("are answered where they refer to themselves", () => {
    expect(validate({ $ref: "#" }, 1)).toMatchObject([{ keyword: "SCHEMA_TOO_EXPENSIVE" }]);
    expect(validate({ anyOf: [{ $ref: "#" }, { $ref: "#" }] }, 1)).toMatchObject([
      { keyword: "SCHEMA_TOO_EXPENSIVE" },
    ]);
  });

  it("are answered where a pattern would backtrack for ever", () => {
    const text = `${"a".repeat(50_000)}!`;
    expect(isValid({ pattern: "^(a+)+$" }, text)).toBe(false);
    expect(isValid({ pattern: "^(a|aa)*$" }, text)).toBe(false);
    expect(isValid({ patternProperties: { "^(a+)+$": false } }, { [text]: 1 })).toBe(true);
  });

  it("are answered, and never with an exception, where they are no schemas at all", () => {
    const odd: readonly JsonValue[] = [
      { type: "strin" },
      { properties: 3, items: "x", allOf: {}, required: "a", enum: 1, pattern: "(", format: "nonsense" },
      { patternProperties: { "(": true }, $ref: "#/nowhere", multipleOf: 0 },
      { version: "1", nodeSchema: { type: "object" } },
      [1],
      "text",
      null,
    ];
    for (const schema of odd) {
      for (const value of [null, 1, "a", [1], { a: 1 }]) expect(() => validate(schema, value)).not.toThrow();
    }
  });

  it("are answered where schema and value are as deep as they may be", () => {
    let schema: JsonValue = { type: "string" };
    let value: JsonValue = 1;
    for (let level = 0; level < 120; level += 1) {
      schema = { items: schema };
      value = [value];
    }
    expect(validate(schema, value)).toEqual([
      { path: "/0".repeat(120), keyword: "type", expected: "string", got: "1" },
    ]);
  });
});
