import { describe, expect, it } from "vitest";
import { declaredFields, propertiesOf } from "../../src/check/schema.js";

/** A schema whose field stands below so many `allOf`. */
function below(levels: number): object {
  const schema = { properties: { a: { type: "string" } } };
  return Array.from({ length: levels }).reduce<object>((inner) => ({ allOf: [inner] }), schema);
}

describe("the fields of a schema", () => {
  it("are looked for in what it is made of, six levels deep", () => {
    expect(declaredFields(below(6) as never)).toEqual(["a"]);
    expect(propertiesOf(below(6) as never, "a")).toEqual([{ type: "string" }, null]);
    expect(declaredFields(below(7) as never)).toEqual([]);
    expect(propertiesOf(below(7) as never, "a")).toEqual([]);
  });
});
