import { describe, expect, it } from "vitest";
import { parseOptions, parseTask } from "../../src/office/options.js";

describe("the thread's prompt", () => {
  it.each<[string, unknown]>([
    ["An offer", { prompt: "An offer", inputDocx: null }],
    ["[x] is no object", { prompt: "[x] is no object", inputDocx: null }],
    ['{"prompt": "x"}', { prompt: "x", inputDocx: null }],
    ['\n {"prompt": "x", "inputDocx": null}', { prompt: "x", inputDocx: null }],
    ['{"prompt": "x", "inputDocx": "a b.docx"}', { prompt: "x", inputDocx: "a b.docx" }],
  ])("%j is a task", (prompt, value) => {
    expect(parseTask(prompt)).toEqual({ ok: true, value });
  });

  it.each<[string, string]>([
    ['{"prompt": "x"', "it begins with { and is no JSON"],
    ["{}", "its field prompt is not a text"],
    ['{"prompt": 1}', "its field prompt is not a text"],
    ['{"prompt": "x", "inputDocx": ""}', "its field inputDocx is neither a path, nor a hash, nor null"],
    ['{"prompt": "x", "inputDocx": ["a"]}', "its field inputDocx is neither"],
    ['{"prompt": "x", "input": "a"}', 'it has a field "input", which means nothing here'],
  ])("%j is none", (prompt, reason) => {
    const parsed = parseTask(prompt);
    expect(parsed).toMatchObject({ ok: false, error: { code: "INVALID_INPUT" } });
    expect(JSON.stringify(parsed)).toContain(JSON.stringify(reason).slice(1, -1));
  });
});

describe("the words of uwf-office", () => {
  it("have defaults", () => {
    expect(parseOptions([])).toEqual({
      ok: true,
      value: { command: ["office-agent"], outputDir: "documents", timeoutMs: null },
    });
  });

  it("give what follows -- to the program", () => {
    expect(parseOptions(["--timeout=60", "--output-dir", "out", "--", "--model", "large"])).toEqual({
      ok: true,
      value: { command: ["office-agent", "--model", "large"], outputDir: "out", timeoutMs: 60_000 },
    });
    expect(parseOptions(["--apply"])).toMatchObject({ value: { command: null } });
  });

  it.each<[readonly string[], string]>([
    [["--command="], "--command needs the name of a program"],
    [["--output-dir="], "--output-dir needs the name of a folder"],
    [["--timeout", "1m"], '--timeout is a number of seconds from 1 to 2147483, not "1m"'],
    [["--apply", "--timeout", "1"], "--apply runs no program"],
    [["--apply", "--", "x"], "--apply runs no program"],
    [["x"], "unexpected argument 'x'"],
  ])("%j are refused", (words, reason) => {
    const parsed = parseOptions(words);
    expect(parsed.ok ? "" : parsed.error).toContain(reason);
  });
});
