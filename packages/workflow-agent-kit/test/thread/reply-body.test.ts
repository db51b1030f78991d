import { describe, expect, it } from "vitest";
import { replyBody } from "../../src/thread.js";

describe("an earlier reply in the prompt", () => {
  it("is shown without its header, which the output repeats", () => {
    expect(replyBody("---\ndone: true\n---\n\nFixed it.\n", { done: true })).toBe("Fixed it.\n");
    expect(replyBody('---\n"a b": 1\n---\nFixed it.', { "a b": 1 })).toBe("Fixed it.");
  });

  it("is shown completely if it does not begin with a header", () => {
    const ruled = "---\nA long thought\n---\nand more";
    expect(replyBody(ruled, { done: true })).toBe(ruled);
    expect(replyBody("No header.", { done: true })).toBe("No header.");
    expect(replyBody("Words\n---\ndone: true\n---\n", { done: true })).toContain("Words");
  });
});
