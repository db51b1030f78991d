import { afterEach, describe, expect, it, vi } from "vitest";
import { compileSoonFor } from "../../src/condition.js";

afterEach(() => vi.unstubAllGlobals());

describe("the compiler of bun's engine", () => {
  it.each([
    [999, 0],
    [1_000, 1],
  ])("is started early where it pays off: with %d steps %d times", (steps, times) => {
    const setJITPolicy = vi.fn();
    vi.stubGlobal("Bun", { unsafe: { setJITPolicy } });
    compileSoonFor(steps);
    expect(setJITPolicy).toHaveBeenCalledTimes(times);
  });

  it("is left alone by other runtimes", () => {
    vi.stubGlobal("Bun", undefined);
    expect(() => compileSoonFor(1_000)).not.toThrow();
  });
});
