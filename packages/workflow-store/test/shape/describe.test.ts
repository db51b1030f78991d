import { expect, describe as group, it } from "vitest";
import { describe } from "../../src/shape.js";

group("what stands there, in words", () => {
  it.each([
    [null, "nothing"],
    [undefined, "nothing"],
    [42, "the number 42"],
    [true, "true"],
    ["x", 'the text "x"'],
    ['say "x"\u001b[31m', 'the text "say \\"x\\"\\u001b[31m"'],
    [[], "a list"],
    [{}, "a map"],
    ["x".repeat(100), `the text "${"x".repeat(40)}…"`],
  ])("%j is %s", (value, words) => {
    expect(describe(value)).toBe(words);
  });
});
