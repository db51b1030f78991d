import { describe, expect, it } from "vitest";
import { outputExample } from "../../src/index.js";

/** A required name that only a pattern describes. */
const metaWith = (pattern: string, name: string) => ({
  type: "object",
  required: [name],
  patternProperties: { [pattern]: { type: "boolean" } },
});

describe("an example with a field that only a pattern describes", () => {
  it("has what the pattern asks for, however long the name is", () => {
    const name = `is_${"long".repeat(20)}`;
    expect(outputExample(metaWith("^is_", name))).toContain(`${name}: false`);
  });

  it("is made in time by the size of the pattern, whatever it repeats", () => {
    const name = `${"a".repeat(22)}!`;
    expect(outputExample(metaWith("^((((a+)+)+)+)+$", name))).toContain("a!");
  });
});
