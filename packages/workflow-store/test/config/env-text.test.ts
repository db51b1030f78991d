import { parse } from "dotenv";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseEnv, parsePlain } from "../../src/config/load.js";

describe("parsePlain", () => {
  it("reads plain lines, comments and empty lines by itself", () => {
    const text = "# it's mine\r\n\r\nexport A_KEY=sk-or-v1/x+y:z@1\n  # more\nEMPTY=\nA_KEY=2";
    expect(parsePlain(text)).toEqual({ A_KEY: "2", EMPTY: "" });
  });

  it.each([
    "A='x'",
    "A=x # y",
    "A = x",
    "A=x y",
    "A: x",
    "nonsense",
    "A=$B",
    "A=\\n",
    "A=x\rB=y",
    "__proto__=x",
  ])("leaves %j to dotenv", (text) => {
    expect(parsePlain(text)).toBeNull();
  });

  it("agrees with dotenv wherever it answers", async () => {
    const piece = fc.constantFrom(
      "A",
      "B",
      "=",
      "\n",
      "\r\n",
      "\r",
      "#",
      "'",
      '"',
      " ",
      "\t",
      "export ",
      "x",
      "A=1\n",
    );
    const text = fc.array(piece, { maxLength: 25 }).map((pieces) => pieces.join(""));
    await fc.assert(
      fc.asyncProperty(text, async (source) => {
        expect(await parseEnv(source)).toEqual(parse(source));
      }),
      { numRuns: 5000 },
    );
  });
});
