import { childPrompt, partIn } from "@uncaged/workflow-engine";
import { describe, expect, it } from "vitest";
import { firstLine, taskLine } from "../../src/screen/threads.js";

describe("the first line of a text", () => {
  it.each([
    ["Fix the login", "Fix the login"],
    ["\n\n# Fix the *login*\n\nIt redirects.", "Fix the login"],
    [
      "---\n\n> **Note**: see [the issue](https://example.org/1) and `src/a.ts`",
      "Note: see the issue and src/a.ts",
    ],
    ["```sh\nls\n```", "ls"],
    ["<!-- from a template -->\n- [ ] first\n- [ ] second", "first"],
    ["1. one\n2. two", "one"],
    ["snake_case_name and a*b*c stay", "snake_case_name and a*b*c stay"],
    ["#41 is open", "#41 is open"],
    ["日本語の\nタスク\n\nmore", "日本語の タスク"],
    ["# A title\nand words", "A title"],
    ["two lines\nof one\n- and a list", "two lines of one"],
    ["***\n---\n", "*** ---"],
    ["", ""],
  ])("of %j is %j", (text, line) => {
    expect(firstLine(text)).toBe(line);
  });

  it("is soon found in a text that is nothing but marks", () => {
    for (const text of ["*".repeat(200_000), "[".repeat(200_000), "# ".repeat(100_000), "`".repeat(200_000)])
      expect(firstLine(text).length).toBeLessThanOrEqual(text.length);
  });
});

describe("the task of a child thread", () => {
  const context = (prompt: string) => ({
    threadId: "01KAJ5E8ZJ4N7XK3M9T2V6W8YB" as never,
    start: { prompt } as never,
    steps: [{ role: "planner", output: { items: ["# Your part: item 9 of 9\n\nx"] } }] as never,
    roleDefinition: { goal: "Have it done", procedure: "", output: "" },
  });
  const item = (value: string) => ({ index: 1, count: 3, value });

  it("is its parent's goal, or its item where there are several", () => {
    expect(taskLine(childPrompt(context("Ship it"), "role", null))).toBe("Have it done");
    expect(taskLine(childPrompt(context("Ship it"), "role", item("src/b.ts")))).toBe("item 2 of 3: src/b.ts");
    expect(taskLine(childPrompt(context("Ship it"), "task", item("a\n\n# b")))).toBe("item 2 of 3: |- a # b");
  });

  it("has the item of the thread above it where it has none of its own", () => {
    const above = childPrompt(context("Ship it"), "role", item("src/b.ts"));
    expect(partIn(childPrompt(context(above), "role", null))).toEqual({
      which: "item 2 of 3",
      item: "src/b.ts",
    });
    expect(partIn("Ship it")).toBeNull();
  });
});
