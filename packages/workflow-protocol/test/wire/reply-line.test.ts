import { describe, expect, it } from "vitest";
import { lastLine } from "../../src/index.js";

describe("the reply line", () => {
  it.each([
    ["noise before it", "hello\nABC\n", "ABC"],
    ["blank lines after it", "ABC\n\n  \n", "ABC"],
    ["no newline at the end", "ABC", "ABC"],
    ["CRLF", "noise\r\nABC\r\n", "ABC"],
    ["colour codes", "\u001b[32mABC\u001b[0m\n", "ABC"],
    ["a line of nothing but terminal codes after it", "ABC\n\u001b[0m\n", "ABC"],
    ["a window title", "\u001b]0;title\u0007ABC\n", "ABC"],
  ])("is the last line that is not empty, with %s", (_case, stdout, line) => {
    expect(lastLine(stdout)).toBe(line);
  });

  it("does not exist where nothing was printed", () => {
    expect(lastLine("")).toBeNull();
    expect(lastLine("\n\r\n\u001b[0m\n")).toBeNull();
  });
});
