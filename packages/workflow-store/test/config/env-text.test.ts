import { parse } from "dotenv";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseEnv } from "../../src/config/env-text.js";

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
});
