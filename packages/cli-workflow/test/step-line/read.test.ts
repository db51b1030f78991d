import { describe, expect, it } from "vitest";
import { readStepLine } from "../../src/step-line.js";

describe("the plain step line", () => {
  it("is read with its agent and format, in any order", () => {
    expect(readStepLine(["thread", "step", "T"])).toEqual({ thread: "T", agent: null, format: null });
    expect(readStepLine(["thread", "step", "--agent", "-x y", "T", "--format", "yaml"])).toEqual({
      thread: "T",
      agent: "-x y",
      format: "yaml",
    });
  });

  it.each([
    [["thread", "list"]],
    [["thread", "step"]],
    [["thread", "step", ""]],
    [["thread", "step", "T", "U"]],
    [["thread", "step", "T", "--help"]],
    [["thread", "step", "T", "-h"]],
    [["thread", "step", "T", "--wait"]],
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
