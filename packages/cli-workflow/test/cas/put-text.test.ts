import { describe, expect, it } from "vitest";
import { sandbox } from "../support/uwf.js";

describe("uwf cas put-text", () => {
  it("stores a text from the line, stdin or a file as it is, and prints its hash", async () => {
    const box = sandbox();
    const text = "The parser,\nthen its tests.\n";
    const { hash } = await box.json(["cas", "put-text", text]);
    expect(await box.json(["cas", "get", hash])).toMatchObject({ payload: { text } });
    expect(await box.json(["cas", "put-text", "-"], { stdin: text })).toEqual({ hash });
    box.write("plan.md", text);
    expect(await box.json(["cas", "put-text", "--file", "plan.md"])).toEqual({ hash });
    expect(await box.json(["cas", "verify"])).toMatchObject({ damaged: 0 });
  });

  it.each([
    [[], 2, "the text is missing: give it as an argument, - for stdin, or --file <path>"],
    [["a", "--file", "plan.md"], 2, "give a text or --file, not both"],
    [["--file", "none.md"], 3, "none.md"],
    [[" "], 4, "it is empty"],
  ] as const)("refuses %j with exit %i", async (args, code, message) => {
    const box = sandbox();
    const ran = await box.uwf(["cas", "put-text", ...args]);
    expect(ran).toMatchObject({ code, stdout: "", stderr: expect.stringContaining(message) });
    expect(ran.stderr).toContain("hint: ");
  });
});
