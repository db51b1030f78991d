import { parse } from "dotenv";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { mergeEnvFile } from "../../src/config/index.js";

async function merged(text: string | null, variables: Record<string, string>): Promise<string> {
  const result = await mergeEnvFile(text, variables);
  if (!result.ok) throw new Error(JSON.stringify(result.error));
  return result.value;
}

describe("mergeEnvFile", () => {
  it.each([
    "sk-or-v1-0123456789abcdef",
    "with#hash",
    "#",
    " leading and trailing ",
    "",
    "a'b",
    'a"b',
    "a`b",
    `a'b"c`,
    "'quoted'",
    '"quoted"',
    "$HOME $" + "{PATH} \\$x",
    "back\\slash\\n",
    "two\nlines",
    "carriage\rreturn\r\n",
    "a=b",
    "export X=1",
    "ünï🔑",
    "\u2028",
    "\t",
  ])("writes %j so that it reads back exactly", async (value) => {
    expect(parse(await merged(null, { KEY: value })).KEY).toBe(value);
    expect(parse(await merged("A=1\nKEY=old # note\nB=2\n", { KEY: value }))).toEqual({
      A: "1",
      KEY: value,
      B: "2",
    });
  });

  it("writes a plain key without quotes and ends the file with a newline", async () => {
    expect(await merged(null, { KEY: "sk-1" })).toBe("KEY=sk-1\n");
    expect(await merged("A=1", { KEY: "sk-1" })).toBe("A=1\nKEY=sk-1\n");
  });

  it("leaves every other line as it is", async () => {
    const text = "# mine\n\nexport A = 1  # why\nKEY=old\n  B: 2\nnonsense\nC='x\ny'\n";
    expect(await merged(text, { KEY: "new" })).toBe(text.replace("KEY=old", "KEY=new"));
  });

  it("does not change a text that already has the value", async () => {
    const text = "export KEY = 'same' # mine";
    expect(await merged(text, { KEY: "same" })).toBe(text);
    expect(await merged(text, {})).toBe(text);
  });

  it("replaces a value of several lines completely", async () => {
    expect(await merged('A=1\nKEY="x\nB=9\ny"\nC=3\n', { KEY: "new" })).toBe("A=1\nKEY=new\nC=3\n");
  });

  it("does not take a line inside another value for an assignment", async () => {
    const text = "A='x\nKEY=inside\ny'\n";
    expect(parse(await merged(text, { KEY: "real" }))).toEqual({ A: "x\nKEY=inside\ny", KEY: "real" });
  });

  it("lets the last of two assignments win, as dotenv does", async () => {
    expect(await merged("KEY=1\nKEY=2\n", { KEY: "3" })).toBe("KEY=1\nKEY=3\n");
  });

  it("survives a quote that was never closed", async () => {
    expect(parse(await merged("A='open\n", { KEY: "x#'y" })).KEY).toBe("x#'y");
  });

  it("keeps CRLF", async () => {
    expect(await merged("A=1\r\nKEY=2\r\nB=3\r\n", { KEY: "4", NEW: "5" })).toBe(
      "A=1\r\nKEY=4\r\nB=3\r\nNEW=5\r\n",
    );
  });

  it.each([
    ["BAD NAME", "x"],
    ["A=B", "x"],
    ["", "x"],
    ["KEY", "a\0b"],
    ["KEY", "all of '\"` and # at once"],
  ])("refuses what .env cannot carry (%j) and does not show the value", async (name, value) => {
    const result = await mergeEnvFile(null, { [name]: value });
    expect(result).toMatchObject({ ok: false, error: { code: "INVALID_INPUT", what: ".env" } });
    expect(JSON.stringify(result)).not.toContain("at once");
  });

  it("reads back exactly, or is refused, whatever the value and the text before", async () => {
    const pieces = fc.constantFrom(
      "A",
      "B",
      "KEY",
      "=",
      "'",
      '"',
      "`",
      "#",
      "\n",
      "\r\n",
      " ",
      "\\",
      "x",
      "$",
      "export ",
      ":",
    );
    const text = fc.array(pieces, { maxLength: 30 }).map((parts) => parts.join(""));
    await fc.assert(
      fc.asyncProperty(
        text,
        fc.oneof(text, fc.string({ unit: "binary", maxLength: 20 })),
        async (before, value) => {
          const result = await mergeEnvFile(before, { KEY: value });
          if (result.ok) expect(parse(result.value)).toEqual({ ...parse(before), KEY: value });
        },
      ),
      { numRuns: 2000 },
    );
  });

  it("carries every key that providers give out", async () => {
    const key = fc
      .stringMatching(/^[\x21-\x7e]{1,80}$/)
      .filter((value) => !/['"`#].*['"`#].*['"`#]/.test(value));
    await fc.assert(
      fc.asyncProperty(key, async (value) => {
        expect(parse(await merged("A=1\n", { KEY: value }))).toEqual({ A: "1", KEY: value });
      }),
      { numRuns: 1000 },
    );
  });
});
