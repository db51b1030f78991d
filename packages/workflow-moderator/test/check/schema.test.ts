import { describe, expect, it } from "vitest";
import { declaredFields, isObjectSchema, requires } from "../../src/check/schema.js";

/** A schema whose field stands below so many `allOf`. */
function below(levels: number): object {
  const schema = { type: "object", properties: { a: { type: "string" } }, required: ["a"] };
  return Array.from({ length: levels }).reduce<object>((inner) => ({ allOf: [inner] }), schema);
}

describe("the fields of a schema", () => {
  it("are looked for in what it is made of, however deep", () => {
    expect(declaredFields(below(7) as never)).toEqual(["a"]);
    expect(requires(below(7) as never, ["a"])).toBe(true);
    expect(isObjectSchema(below(7) as never)).toBe(true);
  });

  it("are found in unions that come back to themselves, each looked at once", () => {
    const branch = { anyOf: [{ $ref: "#/$defs/b" }, { $ref: "#/$defs/b" }], oneOf: [{ $ref: "#/$defs/b" }] };
    const schema = { $ref: "#/$defs/b", $defs: { b: branch } };
    expect(declaredFields(schema as never)).toEqual([]);
    expect(requires(schema as never, ["a", "b"])).toBe(false);
    expect(isObjectSchema(schema as never)).toBe(false);
  });
});
