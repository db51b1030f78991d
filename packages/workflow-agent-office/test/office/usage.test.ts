import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { sandbox } from "../../../cli-workflow/test/support/uwf.js";
import { countTo, readUsed } from "../../src/usage.js";

const answer = (tokens: { readonly input: number; readonly output: number } | null, costUsd: number | null) =>
  ({ text: "", toolCalls: [], tokens, costUsd, finish: "stop", unfinished: null }) as const;

const file = () => join(sandbox().cwd, "usage.json");

describe("what a program has used", () => {
  it("is the sum of its answers", () => {
    const path = file();
    const count = countTo(path, "small-1");
    count(answer({ input: 100, output: 7 }, 0.5));
    count(answer({ input: 20, output: 3 }, 0.25));
    expect(readUsed(path)).toEqual({
      model: "small-1",
      usage: { inputTokens: 120, outputTokens: 10, totalTokens: 130, costUsd: 0.75 },
    });
  });

  it("is unknown as soon as one answer's tokens are, and its cost as soon as one answer's cost is", () => {
    const path = file();
    const count = countTo(path, "small-1");
    count(answer({ input: 100, output: 7 }, null));
    expect(readUsed(path).usage).toMatchObject({ inputTokens: 100, costUsd: null });
    count(answer(null, 0.5));
    count(answer({ input: 100, output: 7 }, 0.5));
    expect(readUsed(path)).toEqual({ model: "small-1", usage: null });
  });

  it.each([
    ["no file", null],
    ["no JSON", "12 tokens"],
    ["no object", "[1, 2]"],
    ["a number below 0", '{"model": "", "inputTokens": -1, "outputTokens": 2}'],
    ["half a token", '{"inputTokens": 1.5, "outputTokens": 2}'],
    ["a text", '{"model": 7, "inputTokens": "10", "outputTokens": 2}'],
    ["a file of 65 KiB", `{"inputTokens": 1, "outputTokens": 2${" ".repeat(65 * 1024)}}`],
  ])("is unknown of %s", (_, text) => {
    const path = file();
    if (text !== null) writeFileSync(path, text);
    expect(readUsed(path)).toEqual({ model: null, usage: null });
  });
});
