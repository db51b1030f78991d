import { parseArgs } from "node:util";
import { describe, expect, it } from "vitest";
import { lineProblem } from "../../src/fault.js";

const OPTIONS = { json: { type: "boolean" }, "output-dir": { type: "string", short: "o" } } as const;

function said(args: readonly string[], allowPositionals: boolean): string {
  try {
    parseArgs({ args: [...args], options: OPTIONS, allowPositionals });
  } catch (error) {
    return lineProblem(error, Object.keys(OPTIONS));
  }
  throw new Error(`${args.join(" ")} is no mistake`);
}

describe("lineProblem", () => {
  it.each([
    ["--jsn", `unknown option '--jsn', did you mean "--json"?`],
    ["--outputdir", `unknown option '--outputdir', did you mean "--output-dir"?`],
    ["--frobnicate", "unknown option '--frobnicate'"],
    ["-x", "unknown option '-x'"],
    ["--json=yes", "option '--json' does not take an argument"],
    ["-o", "option '-o, --output-dir <value>' argument missing"],
  ])("says of %s what is wrong, without Node's advice", (word, problem) => {
    expect([said([word], true), said([word], false)]).toEqual([problem, problem]);
  });

  it("names a word that has no place", () => {
    expect(said(["Report. To specify.docx"], false)).toMatch(/^unexpected argument 'Report/);
    expect(said(["more"], false)).toBe("unexpected argument 'more'");
  });

  it("takes anything that was thrown", () => {
    expect(lineProblem(new Error("--pages is a number"), [])).toBe("--pages is a number");
    expect(lineProblem("--Up", ["up"])).toBe("--Up");
  });
});
