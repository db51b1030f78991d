import { describe, expect, it } from "vitest";
import { readOptions } from "../../src/options.js";

const KNOWN = { flags: ["--json"], values: ["--agent", "--model"] };

describe("options", () => {
  it("are flags and named values before, between and behind other words", () => {
    const read = readOptions(["--agent", "uwf-x", "T", "--model=a=b", "role", "--json"], KNOWN);
    expect(read).toEqual({
      ok: true,
      value: {
        flags: new Set(["--json"]),
        values: new Map([
          ["--agent", "uwf-x"],
          ["--model", "a=b"],
        ]),
        rest: ["T", "role"],
      },
    });
  });

  it.each([
    [["--fast"], "unknown option --fast"],
    [["--json=1"], "unknown option --json=1"],
    [["--agent"], "--agent needs a value"],
  ])("are refused with a sentence: %j", (argv, error) => {
    expect(readOptions(argv, KNOWN)).toEqual({ ok: false, error });
  });
});
