import { parse } from "dotenv";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseEnv } from "../../src/config/load.js";

describe("parseEnv", () => {
  it("reads what dotenv reads", () => {
    const piece = fc.constantFrom(
      "A",
      "B",
      "=",
      "\n",
      "\r\n",
      "\r",
      "#",
      ":",
      "`",
      "\\n",
      "\\",
      "__proto__",
      "'",
      '"',
      " ",
      "\t",
      "export ",
      "x",
      "A=1\n",
    );
    const text = fc.array(piece, { maxLength: 25 }).map((pieces) => pieces.join(""));
    fc.assert(
      fc.property(text, (source) => {
        expect(parseEnv(source)).toEqual(parse(source));
      }),
      { numRuns: 5000 },
    );
  });

  it.each([
    ["blank lines", "\n"],
    ["lines of blanks", " \n"],
    ["separators of lines", "\u2028"],
    ["lines of a value that begin with a quote", "'x\u2028"],
  ])("reads a megabyte of %s once, not once from each", (_what, line) => {
    const text = `A=1\nB=x${line.repeat((1024 * 1024) / line.length)}\nC=3\n`;
    expect(parseEnv(text)).toMatchObject({ A: "1", C: "3" });
  });
});
