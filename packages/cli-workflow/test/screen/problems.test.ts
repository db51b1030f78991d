import type { Problem } from "@uncaged/workflow-protocol";
import { describe, expect, it } from "vitest";
import { renderProblems, widthOf, wordAt } from "../../src/screen/index.js";

const PLAIN = { width: 80, colour: false, now: 0 };

function problem(changes: Partial<Problem>): Problem {
  return {
    code: "invalid",
    severity: "error",
    line: 2,
    column: 1,
    path: "",
    message: "it is wrong",
    suggestion: null,
    also: [],
    ...changes,
  };
}

function shown(text: string, changes: Partial<Problem>, width = 80): readonly string[] {
  return renderProblems({ ...PLAIN, width }, { name: "f.yaml", text }, [problem(changes)]).split("\n");
}

/** What stands above the carets. */
function marked(lines: readonly string[]): string {
  const at = lines.findIndex((line) => /\|\s+\^/.test(line));
  const carets = lines[at] ?? "";
  const [line = ""] = [lines[at - 1]];
  const from = widthOf(carets.slice(0, carets.indexOf("^")));
  const to = from + (carets.match(/\^/g)?.length ?? 0);
  let column = 0;
  return [...line]
    .filter((character) => {
      const here = column;
      column += widthOf(character);
      return here >= from && here < to;
    })
    .join("");
}

describe("a problem for a person", () => {
  it("has its place, its code, its lines, a caret under the place, and what was meant", () => {
    const lines = shown("a:\n  role: cheker\nb: 1\n", { column: 9, suggestion: "checker" });
    expect(lines).toEqual([
      "f.yaml:2:9: error[invalid]: it is wrong",
      "  1 | a:",
      "  2 |   role: cheker",
      '    |         ^^^^^^ did you mean "checker"?',
      "",
      "",
    ]);
  });

  it("names further places of the same mistake", () => {
    const lines = shown("a\nb\n", { also: [{ line: 7, column: 3 }] });
    expect(lines).toContain("    | ^ also at 7:3");
  });

  it("has no lines without a place, and none that the file does not have", () => {
    expect(shown("a\n", { line: null, column: null })).toEqual([
      "f.yaml: error[invalid]: it is wrong",
      "",
      "",
    ]);
    expect(shown("a\n", { line: 9 })[0]).toBe("f.yaml:9:1: error[invalid]: it is wrong");
  });

  it("marks the place of a file with a byte order mark and CRLF", () => {
    expect(marked(shown("\ufeffgoal: x\r\nbad: y\r\n", { line: 1, column: 1 }))).toBe("goal");
    expect(shown("\ufeffgoal: x\r\nbad: y\r\n", { line: 2, column: 6 }).join("")).not.toContain("\r");
  });

  it("marks the place behind wide characters and tabs", () => {
    expect(marked(shown("a\ngoal: { 役割: worker }\n", { column: 13 }))).toBe("worker");
    expect(marked(shown("a\n\tgoal: x\n", { column: 1 }))).toBe("→");
    expect(marked(shown("a\n\tgoal: x\n", { column: 2 }))).toBe("goal");
  });

  it("shows the part of a long line that has the place, within the screen", () => {
    const text = `a\n{ ${"word, ".repeat(50_000)}HERE: 1, ${"word, ".repeat(500)} }\n`;
    const column = text.indexOf("HERE") - 1;
    for (const width of [30, 80, 200]) {
      const lines = shown(text, { column, suggestion: "somewhere else" }, width);
      expect(marked(lines)).toBe("HERE");
      const frame = lines.slice(1).filter((line) => !line.includes("did you mean"));
      for (const line of frame) expect(widthOf(line)).toBeLessThanOrEqual(width);
    }
  });

  it("lets no control sequence of the file reach the terminal", () => {
    const lines = shown("a\n\u001b[2Jgoal\u009b1m: \u202ex\n", { column: 5, message: "found \u001b[31m" });
    // biome-ignore lint/suspicious/noControlCharactersInRegex: what must not be there
    expect(lines.join("")).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202a-\u202e]/);
    expect(marked(lines)).toBe("goal");
  });
});

describe("the word at a place", () => {
  it.each([
    ["role: x", "role"],
    ["$START:", "$START"],
    ["solve-issue }", "solve-issue"],
    ["'two words' }", "'two words'"],
    ['"a \\" b": 1', '"a \\" b"'],
    ["== false", "=="],
    ["{ a: 1 }", "{"],
    ["größe: 1", "größe"],
    ["'unclosed", "'"],
    ["", " "],
  ])("of %s is %s", (line, word) => {
    expect(wordAt(line, 0)).toBe(word);
  });
});
