import { describe, expect, it } from "vitest";
import { parseWords } from "../../src/words.js";

const NOTHING = {
  timeoutMs: null,
  cwd: null,
  outputLimit: 16_384,
  fieldsFromStdout: false,
  steps: false,
  artifacts: [],
};

describe("the arguments of uwf-exec", () => {
  it("are a command after --, with its own options", () => {
    expect(parseWords(["--", "npm", "test", "--", "--check"])).toEqual({
      ok: true,
      value: { ...NOTHING, command: ["npm", "test", "--", "--check"] },
    });
  });

  it("need no -- if the command does not begin with an option", () => {
    expect(parseWords(["--cwd", "x", "npm", "--check"])).toMatchObject({
      value: { cwd: "x", command: ["npm", "--check"] },
    });
  });

  it("may have options before --, with a space or =", () => {
    const words = [
      "--timeout",
      "90s",
      "--fields-from-stdout",
      "--steps",
      "--cwd=../app",
      "--output-limit",
      "64k",
    ];
    expect(parseWords([...words, "--", "make"])).toEqual({
      ok: true,
      value: {
        command: ["make"],
        timeoutMs: 90_000,
        cwd: "../app",
        outputLimit: 65_536,
        fieldsFromStdout: true,
        steps: true,
        artifacts: [],
      },
    });
  });

  it("name artifacts, one after the other", () => {
    const words = ["--artifact", "report=out/report.html", "--artifact=logs=out/**/*.log"];
    expect(parseWords([...words, "--", "make"])).toMatchObject({
      value: {
        artifacts: [
          { field: "report", glob: "out/report.html" },
          { field: "logs", glob: "out/**/*.log" },
        ],
      },
    });
  });

  it.each([
    ["500ms", 500],
    ["7", 7000],
    ["1.5h", 5_400_000],
    ["2d", 172_800_000],
  ])("take %s as a duration", (text, timeoutMs) => {
    expect(parseWords(["--timeout", text, "--", "x"])).toMatchObject({ value: { timeoutMs } });
  });

  it.each([
    [[], "there is no command"],
    [["--"], "there is no command"],
    [["--quick", "--", "x"], "unknown option --quick before the command"],
    [["--timeout", "--", "x"], "--timeout needs a value"],
    [["--timeout=", "--", "x"], "--timeout needs a value"],
    [["--timeout", "soon", "--", "x"], "--timeout soon: a duration is"],
    [["--timeout", "0", "--", "x"], "--timeout 0: a duration is"],
    [["--output-limit", "1G", "--", "x"], "--output-limit 1G: a size is"],
    [["--artifact", "report", "--", "x"], "--artifact report: a field and a pattern"],
    [["--artifact", "report=../x", "--", "x"], "--artifact report=../x: a field and a pattern"],
    [["--artifact", "report=/etc/passwd", "--", "x"], "a field and a pattern below the command's folder"],
  ])("are refused with a sentence: %j", (args, reason) => {
    expect(parseWords(args)).toEqual({ ok: false, error: expect.stringContaining(reason) });
  });
});
