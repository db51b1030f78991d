import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { below, nameOf, segmentsOf } from "../../src/shape.js";

describe("JSON Pointers", () => {
  it("name the same keys after they were written and read", () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(fc.string(), fc.constantFrom("~1", "/", "~", "~01"))), (keys) => {
        expect(segmentsOf(keys.reduce(below, ""))).toEqual(keys);
      }),
    );
  });

  it.each([
    ["", "the document"],
    ["/goal", "goal"],
    ["/capabilities/1", "capabilities[1]"],
    ["/roles/a~1b", "a/b"],
    ["/0", "0"],
  ])("read %j as %j", (pointer, name) => {
    expect(nameOf(pointer)).toBe(name);
  });
});
