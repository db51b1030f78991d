import { describe, expect, it } from "vitest";
import { freezeDeep } from "../src/chain.js";

describe("a frozen payload", () => {
  it("cannot be changed at any depth", () => {
    const inner = { list: [{ a: 1 }, null, "text"] };
    const value = freezeDeep({ inner, none: null });
    expect(value).toEqual({ inner: { list: [{ a: 1 }, null, "text"] }, none: null });
    for (const part of [value, inner, inner.list, inner.list[0]]) expect(Object.isFrozen(part)).toBe(true);
  });

  it.each([null, true, 7, "text"])("is itself where it has no parts: %j", (value) => {
    expect(freezeDeep(value)).toBe(value);
  });
});
