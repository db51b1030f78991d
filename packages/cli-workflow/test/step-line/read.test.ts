import { describe, expect, it } from "vitest";
import { readStepLine } from "../../src/step-line.js";

const PLAIN = { agent: null, format: null, expect: null, waitMs: 0 };

describe("the plain step line", () => {
  it("is read with its agent and format, in any order", () => {
    expect(readStepLine(["thread", "step", "T"])).toEqual({ ...PLAIN, thread: "T" });
    expect(readStepLine(["thread", "step", "--agent", "-x y", "T", "--format", "yaml"])).toEqual({
      ...PLAIN,
      thread: "T",
      agent: "-x y",
      format: "yaml",
    });
  });

  it("is read with the head that it expects, and how long it waits", () => {
    const forever = { ...PLAIN, thread: "T", waitMs: Number.POSITIVE_INFINITY };
    expect(readStepLine(["thread", "step", "--wait", "T"])).toEqual(forever);
    expect(readStepLine(["thread", "step", "T", "--wait"])).toEqual(forever);
    expect(readStepLine(["thread", "step", "T", "--wait", "30"])).toEqual({ ...forever, waitMs: 30_000 });
    expect(readStepLine(["thread", "step", "--wait=0.5", "T", "--expect", "H"])).toEqual({
      ...forever,
      waitMs: 500,
      expect: "H",
    });
  });

  it.each([
    [["thread", "list"]],
    [["thread", "step"]],
    [["thread", "step", ""]],
    [["thread", "step", "T", "U"]],
    [["thread", "step", "T", "--help"]],
    [["thread", "step", "T", "-h"]],
    [["thread", "step", "T", "--wait=soon"]],
    [["thread", "step", "T", "--wait", "0"]],
    [["thread", "step", "T", "--wait", "--wait"]],
    [["thread", "step", "T", "--expect"]],
    [["thread", "step", "T", "--expect", "H", "--expect", "H"]],
    [["thread", "step", "T", "--retries", "2"]],
    [["thread", "step", "T", "--retries=2"]],
    [["thread", "step", "T", "--agent"]],
    [["thread", "step", "T", "--agent=x"]],
    [["thread", "step", "T", "--agent", "a", "--agent", "b"]],
    [["thread", "step", "T", "--format", "xml"]],
    [["thread", "step", "T", "--"]],
    [["--format", "json", "thread", "step", "T"]],
  ])("is not %j: that goes to the complete parser", (argv) => {
    expect(readStepLine(argv)).toBeNull();
  });
});
