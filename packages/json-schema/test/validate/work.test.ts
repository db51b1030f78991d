import { describe, expect, it } from "vitest";
import { checkSchema, type JsonValue, validate } from "../../src/index.js";
import { createValidator, type Scope, violationsOf } from "../../src/validate/index.js";

const many = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, n) => make(n));

const record = (
  count: number,
  make: (index: number) => readonly [string, JsonValue],
): Record<string, JsonValue> => Object.fromEntries(many(count, make));

/** A schema that refers to the next one twice, so often: 2^levels checks. */
function doubling(levels: number, keyword: "allOf" | "anyOf" | "oneOf"): JsonValue {
  const $defs = record(levels, (n) => [
    `d${n}`,
    n === 0
      ? { type: "string" }
      : { [keyword]: [{ $ref: `#/$defs/d${n - 1}` }, { $ref: `#/$defs/d${n - 1}` }] },
  ]);
  return { $defs, $ref: `#/$defs/d${levels - 1}` };
}

/** `wrap` around `core`, so often. */
function nested(levels: number, core: JsonValue, wrap: (inner: JsonValue) => JsonValue): JsonValue {
  return levels === 0 ? core : nested(levels - 1, wrap(core), wrap);
}

const objects = (count: number): JsonValue[] =>
  many(count, (n) => ({ id: n, name: `name ${n}`, tags: ["a", "b", String(n)] }));
const deepArray = (levels: number, width: number): JsonValue =>
  levels === 0 ? 1 : many(width, () => deepArray(levels - 1, width));

/** Each took seconds to hours once, or would with most validators. */
const EXPLOSIONS: readonly (readonly [
  what: string,
  schema: JsonValue,
  value: JsonValue,
  fits: boolean | null,
])[] = [
  [
    "contains with 600 enum objects over 49,000 items",
    { contains: { enum: objects(600) } },
    many(49_000, (n) => ({ id: -n })),
    false,
  ],
  [
    "the same where one fits",
    { contains: { enum: objects(600) } },
    [...many(49_000, (n) => ({ id: -n })), ...objects(1)],
    true,
  ],
  ["an enum of 14,000 objects for 14,000 items", { items: { enum: objects(14_000) } }, objects(14_000), true],
  [
    "600 constants as branches for 20,000 objects",
    { items: { anyOf: objects(600).map((wanted) => ({ const: wanted })) } },
    many(20_000, (n) => ({ id: -n })),
    null,
  ],
  [
    "600 constants of 100 KB for one value",
    { anyOf: many(600, (n) => ({ const: [n, "x".repeat(100_000)] })) },
    [-1, "x".repeat(100_000)],
    null,
  ],
  [
    "contains in contains in contains",
    nested(12, { const: 1 }, (inner) => ({ type: "array", contains: inner })),
    deepArray(4, 20),
    false,
  ],
  [
    "2,000 patterns over 5,000 names",
    { patternProperties: record(2_000, (n) => [`x{1,9}${n}$`, false]) },
    record(5_000, (n) => [`name${n}`, n]),
    null,
  ],
  [
    "a pattern with thousands of states over a long text",
    { pattern: "^(a?){2000}b" },
    "a".repeat(200_000),
    null,
  ],
  [
    "a pattern with thousands of states over many names",
    { propertyNames: { pattern: "(a?){3000}c" } },
    record(20_000, (n) => [`a${n}`, 1]),
    null,
  ],
  [
    "many patterns over one text",
    { allOf: many(3_000, (n) => ({ pattern: `(a|b|${n})*c` })) },
    "ab".repeat(20_000),
    null,
  ],
  [
    "5,000 patterns with thousands of states each",
    { allOf: many(5_000, (n) => ({ pattern: `(a?){2000}${n}` })) },
    "ab",
    null,
  ],
  ["references that double, all of them", doubling(40, "allOf"), "x", null],
  ["references that double, exactly one of them", doubling(40, "oneOf"), "x", null],
  ["references that double, any of them, for no value", doubling(40, "anyOf"), 1, null],
  ["a reference to itself", { $ref: "#" }, 1, null],
  [
    "branches of branches for many items",
    { items: nested(5, { type: "string" }, (inner) => ({ oneOf: many(8, () => inner) })) },
    many(5_000, (n) => n),
    null,
  ],
  [
    "errors of 3,000 branches for an object of 3,000 members",
    { oneOf: many(3_000, (n) => ({ properties: { kind: { const: n } }, required: ["kind", `field${n}`] })) },
    record(3_000, (n) => [`m${n}`, n]),
    false,
  ],
  [
    "unevaluated members below nested branches",
    nested(40, { properties: { a: true } }, (inner) => ({ anyOf: [inner], unevaluatedProperties: false })),
    { a: 1 },
    null,
  ],
  [
    "unevaluated items of many branches",
    { anyOf: many(500, (n) => ({ prefixItems: [{ const: n }] })), unevaluatedItems: false },
    many(20_000, (n) => n),
    false,
  ],
  [
    "unique items that are large and nearly equal",
    { uniqueItems: true },
    many(330, (n) => [...many(300, (m) => m), n]),
    true,
  ],
  [
    "unique items at each level",
    nested(6, { type: "integer" }, (inner) => ({ type: "array", uniqueItems: false, items: inner })),
    deepArray(5, 10),
    null,
  ],
  [
    "10,000 required names for 2,000 items",
    { items: { required: many(10_000, (n) => `f${n}`) } },
    many(2_000, () => ({})),
    false,
  ],
  [
    "10,000 dependencies for 5,000 items",
    { items: { dependentRequired: record(10_000, (n) => [`f${n}`, ["g"]]) } },
    many(5_000, () => ({ h: 1 })),
    null,
  ],
  [
    "10,000 dependent schemas for 5,000 items",
    { items: { dependentSchemas: record(10_000, (n) => [`f${n}`, false]) } },
    many(5_000, () => ({ h: 1 })),
    null,
  ],
  [
    "10,000 unknown names beside 10,000 known ones",
    { properties: record(10_000, (n) => [`known-${n}`, true]), additionalProperties: false },
    record(10_000, (n) => [`knwon-${n}`, 1]),
    false,
  ],
  ["not in not", nested(100, { type: "string" }, (inner) => ({ not: inner })), many(50_000, (n) => n), null],
  [
    "a long text counted by 1,000 lengths",
    { allOf: many(1_000, (n) => ({ maxLength: 500_000 + n })) },
    "x".repeat(1_000_000),
    null,
  ],
  [
    "names that must be formats",
    { propertyNames: { anyOf: many(200, () => ({ format: "email" })) } },
    record(20_000, (n) => [`a${n}@b.c`, 1]),
    true,
  ],
  [
    "conditions in conditions",
    // biome-ignore lint/suspicious/noThenProperty: the keyword is called so.
    nested(8, { type: "string" }, (inner) => ({ if: inner, then: inner, else: inner })),
    1,
    null,
  ],
  [
    "99,000 items and three keywords each",
    { items: { type: "integer", minimum: 0, maximum: 2_000_000 } },
    many(99_000, (n) => n),
    true,
  ],
];

describe("schemas and values that multiply", () => {
  // Work is counted, so the answer is the same on every machine; the test's own limit only ends what hangs.
  it.each(EXPLOSIONS)("are answered: %s", { timeout: 60_000 }, (_what, schema, value, fits) => {
    const violations = validate(schema, value);
    expect(violations.length).toBeLessThanOrEqual(200);
    if (fits !== null) expect(violations.length === 0).toBe(fits);
    else if (violations.length > 0) expect(violations[0]?.expected).not.toBe("");
    expect(JSON.stringify(violations).length).toBeLessThan(200_000);
    expect(validate(schema, value)).toEqual(violations);
  });

  it("say so where the work is too much, which is no proof that the value fits", () => {
    expect(validate(doubling(40, "allOf"), "x")).toEqual([
      {
        path: "",
        keyword: "SCHEMA_TOO_EXPENSIVE",
        expected: "a schema that can be checked with bounded work",
        got: "one whose branches, references, patterns or lists multiply with this value beyond that",
      },
    ]);
  });

  it("are answered alike by a validator that has answered before", () => {
    for (const count of [300, 350, 400, 450]) {
      const schema = { not: { anyOf: many(count, (n) => ({ pattern: `(a?){400}${n}` })) } };
      const validator = createValidator(schema);
      const answers = many(3, () => violationsOf(validator, "b").length);
      expect([count, new Set(answers).size]).toEqual([count, 1]);
    }
  });

  it("are refused as schemas where their patterns take too much together, or too much is wrong with them", () => {
    const patterns = { anyOf: many(4_000, (n) => ({ pattern: `(a?){4000}${n}` })) };
    expect(checkSchema(patterns).map(({ message }) => message)).toEqual([
      "the patterns up to here take more than 200000 states together",
    ]);
    const dangling = { anyOf: many(20_000, (n) => ({ $ref: `#/$defs/nothing-with-this-name-${n}` })) };
    expect(checkSchema(dangling).length).toBeLessThanOrEqual(200);
    const unknown = record(20_000, (n) => [`unknown-${n}`, 1]);
    expect(checkSchema(unknown).length).toBeLessThanOrEqual(300);
  });

  it("give the first hundred violations of a value that has more, and those are right", () => {
    const violations = validate(
      { items: { type: "string" } },
      many(5_000, (n) => n),
    );
    expect(violations).toHaveLength(100);
    expect(violations[99]).toEqual({ path: "/99", keyword: "type", expected: "string", got: "99" });
  });

  it("leave a usual role's reply of a megabyte far from the bound", () => {
    const finding = {
      type: "object",
      required: ["file", "line", "severity", "message"],
      properties: {
        file: { type: "string", minLength: 1, maxLength: 500 },
        line: { type: "integer", minimum: 1 },
        severity: { enum: ["info", "warning", "error"] },
        message: { type: "string", pattern: "\\S" },
      },
      additionalProperties: false,
    };
    const schema = { type: "object", properties: { findings: { type: "array", items: finding } } };
    const findings = many(8_000, (n) => ({
      file: `src/some/folder/file-${n}.ts`,
      line: n + 1,
      severity: "warning",
      message: `Something is to be said about line ${n}, and here it is said.`,
    }));
    const value = { findings };
    expect(JSON.stringify(value).length).toBeGreaterThan(1_000_000);
    const scope = createValidator(schema).open(value);
    const left = leftIn(scope);
    const again = createValidator(schema).open(value);
    expect(again.holds(again.root, value)).toBe(true);
    expect(1 - leftIn(again) / left).toBeLessThan(0.05);
  });
});

/** How many steps it still allows, to 1,000; uses them up. */
function leftIn({ spend }: Scope): number {
  for (let spent = 0; ; spent += 1_000) {
    try {
      spend(1_000);
    } catch {
      return spent;
    }
  }
}
